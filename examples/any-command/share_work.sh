#!/bin/sh
# Any command can be a task. Each worker adds up its share of the squares of 1 … $1 and leaves its sum among the job's results.
set -eu

count=${1:-100000}

# YDL_TASKS_JSON names every task of the job: {"worker": [{"host": "127.0.0.1", "ports": [1234]}, …], …}
python3 - <<'PYTHON'
import json, os
for role, tasks in json.loads(os.environ["YDL_TASKS_JSON"]).items():
    for index, task in enumerate(tasks):
        me = (role, str(index)) == (os.environ["YDL_ROLE"], os.environ["YDL_INDEX"])
        print(f"{role}:{index} on {task['host']}, ports {task['ports']}{' <- me' if me else ''}")
PYTHON
workers=$(python3 -c 'import json, os; print(len(json.loads(os.environ["YDL_TASKS_JSON"])[os.environ["YDL_ROLE"]]))')

sum=0
number=$((YDL_INDEX + 1))
report_at=0
while [ "$number" -le "$count" ]; do
  sum=$((sum + number * number))
  if [ "$number" -ge "$report_at" ]; then
    # A line such as "::progress 3/8 text" moves the task's progress bar.
    echo "::progress $number/$count sum so far $sum"
    report_at=$((report_at + count / 10 + 1))
  fi
  number=$((number + workers))
done

echo "$sum" > "${YDL_RESULTS_DIR:-.}/sum-$YDL_INDEX.txt"
echo "$YDL_ROLE:$YDL_INDEX of $workers has the sum $sum"
