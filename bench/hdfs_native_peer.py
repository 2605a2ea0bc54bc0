"""hdfs-native as one of the clients that bench/hdfs.py compares: the same requests and answers as testing/java/Client.java."""

import asyncio
import json
import sys
import time

from hdfs_native import AsyncClient, Client, WriteOptions

BUFFER = 1 << 20


def write(client, request):
    content = bytes(BUFFER)
    left = request["bytes"]
    with client.create(request["remote"], WriteOptions(replication=request["replication"], overwrite=True)) as file:
        while left > 0:
            file.write(content[:left])
            left -= BUFFER


def read(client, request):
    file = client.read(request["remote"])
    for _ in file.read_range_stream(0, client.get_file_info(request["remote"]).length):
        pass


async def in_parallel(request, step):
    """Runs step(number) `count` times, `threads` of them at a time."""
    numbers = iter(range(request["count"]))

    async def work():
        for number in numbers:
            await step(number)

    await asyncio.gather(*(work() for _ in range(request["threads"])))


async def small_files(client, request):
    content = bytes(request["bytes"])

    async def step(number):
        async with await client.create(f"{request['remote']}/file-{number}", WriteOptions()) as file:
            await file.write(content)

    await in_parallel(request, step)


async def stat(client, request):
    await in_parallel(request, lambda _: client.get_file_info(request["remote"]))


def main():
    client, async_client = Client(), AsyncClient()
    loop = asyncio.new_event_loop()
    operations = {
        "time-write": lambda request: write(client, request),
        "time-read": lambda request: read(client, request),
        "time-small-files": lambda request: loop.run_until_complete(small_files(async_client, request)),
        "time-stat": lambda request: loop.run_until_complete(stat(async_client, request)),
    }
    for line in sys.stdin:
        request = json.loads(line)
        start = time.perf_counter()
        try:
            operations[request["do"]](request)
            answer = {"ok": time.perf_counter() - start}
        except Exception as error:  # any failure must be reported to the caller
            answer = {"error": type(error).__name__, "message": str(error)}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
