#!/usr/bin/env python3
"""Fails on words and phrases that CONTRIBUTING.md, "Words", advises against, and on Markdown lines that are too long.

    tools/check_words.py                 everything, except what PATHS_NOT_YET lists
    tools/check_words.py src/hdfs        one folder or file, listed in PATHS_NOT_YET or not

Read are the string literals and comments of C++ and Python (for tests also their names), the comments of shell scripts
and CMake files, and all of Markdown and of JSON schemas except `code` and link targets. The help and the manual are string literals of src.
Each hit is printed as file:line: the words: what to write instead.
"""
import dataclasses
import io
import pathlib
import re
import subprocess
import sys
import tokenize

ROOT = pathlib.Path(__file__).resolve().parent.parent
LONGEST_LINE = 120

# Paths that are still to be reworded. A folder leaves the list when `tools/check_words.py FOLDER` finds nothing.
PATHS_NOT_YET: list[str] = []

# (path, words as they stand there or *, reason). An exception that is not needed any more is an error.
EXCEPTIONS: list[tuple[str, str, str]] = [
    ("CONTRIBUTING.md", "*", "the style sheet quotes what not to write"),
    ("tools/check_words.py", "*", "the list of words itself"),
    ("tests/cli/test_check_words.py", "*", "the words that the check must find"),
    ("tests/unit/yarn/diagnostics_test.cpp", "nobody", "the user of a container, as a NodeManager wrote it"),
    ("testing/cluster_lib/daemon.py", "leash", "a property of the Java programs below testing/java"),
]

PERSON = (r"(?:users?|persons?|people|owners?|operators?|administrators?|developers?|engineers?|readers?|authors?|those"
          r"|everyone|anyone|someone|you|he|she|they|man|woman|ann|bob)")
ASKS_WHO = r"(?:shows?|tells?|told|knows?|known|sees?|asks?|asked|about|find out|finds out|decides?|proves?|and)"


@dataclasses.dataclass(frozen=True)
class Rule:
    words: str  # a regular expression; a blank matches any white space, a line's end included
    instead: str
    unless: str = ""  # a hit inside a match of this one is fine


RULES = [
    Rule(r"\btravel(?:s|led|ling)?\b", "upload, copy, send"),
    Rule(r"\b(?:bring|brings|bringing|brought)\b", "upload, copy, restore, cause"),
    Rule(r"\bluggage\b", "upload, files of the job"),
    Rule(r"\bdiar(?:y|ies)\b", "log"),
    Rule(r"\b(?:leash|good-?bye)\b", "say what happens: the job ends with its client; the connection was closed"),
    Rule(r"\bstrays?\b", "a leftover process, an orphan"),
    Rule(r"\bstrangers?\b", "another user's, unknown, not of this job"),
    Rule(r"\b(?:ended|ends|end|went|goes) well\b", "succeeded"),
    Rule(r"\b(?:is|was|are|were|be|it's) no\b", "is not a …, or: there is no …",
         unless=r"\bthere (?:is|was|are|were|may be|can be|will be|must be|should be|would be|be) no\b"
                r"|\b(?:is|was|are|were|be) no (?:longer|later|earlier|older|newer|larger|smaller|longer|more than|less than|such)\b"),
    Rule(r"\b(?:is|was|are|were|be) none\b", "is not one, or: there is none",
         unless=r"\bthere (?:is|was|are|were|may be|can be|will be|must be|should be|would be) none\b"
                r"|\b(?:is|are|was) none of\b"),
    Rule(r"\bfor so long\b", "for this long, or the time itself"),
    Rule(r"\bso many (?:days?|seconds?|minutes?|bytes|times|tasks|attempts)\b", "name the number: DAYS, `limit`"),
    Rule(r"\b(?:nobody|somebody|whoever|whomever|anybody|everybody)\b", "name the subject: the user, no process, any host"),
    Rule(r"\bplaces?\b", "container, host, slot; as a verb it is fine",
         unless=r"\b(?:to|and|then|will|can|cannot|could|would|must|not|may|it|ydl|master|yarn|job|they|which|that|scheduler|machine) places?\b"
                r"|\bin place\b|\btak(?:e|es|ing|en) (?:the |its |their )?place\b|\btook (?:the |its )?place\b"
                r"|\bin place of\b|\bplace all\b|\bplaces (?:the|a|all|each|every|tasks?)\b|\bplaces, \w+s\b"
                r"|\bplace (?:the|a|tasks?|each|every|it|them)\b"),
    Rule(r"\bbeliev(?:e|es|ed|ing)\b", "trust, accept, assume, is treated as"),
    Rule(r"\bwants?\b", "needs, requires, expects, asks for", unless=r"\b(?:you|they|users?|person|people|who|owner) (?:do not |does not )?wants?\b"),
    Rule(r"\b(?:knows?|knew) (?:nothing|no|of|so|better|it all)\b", "has no …, does not depend on …, supports …"),
    Rule(r"\b(?:ydl|program|it) knows\b", "supports, recognises, or: there is"),
    Rule(r"\b(?:says?|said) (?:so|who|nothing|it all|no word|yes|no|good)\b", "state the fact: is set in, reports, does not answer"),
    Rule(r"\bwithout a word\b", "silently"),
    Rule(r"\b(?:in the words of|has the last word|has words|have words)\b", "as … shows it; decides"),
    Rule(r"\b(?:counts for nothing|is worth nothing|stands? good for|none the wiser)\b", "say what happens instead"),
    Rule(r"\b(?:to its end|to the end of it)\b", "to completion, until it ends"),
    Rule(r"\bwho\b", "a relative 'who' needs a person before it: 'the user who …'; for things: 'which', 'that'",
         unless=rf"\b{PERSON},? (?:alone )?who\b|\b{ASKS_WHO} who\b|\bwho\b[^.;:\n]*\?|\bwho (?:am i|is who|may)\b"),
]


def compiled(expression):
    return re.compile(expression.replace(" ", r"\s+"), re.I)


COMPILED = [(rule, compiled(rule.words), compiled(rule.unless) if rule.unless else None) for rule in RULES]


# Every reader gives a text as long as the file, in which all that is not read is blank, and code between two pieces of
# text is a NUL: patterns may go over the ends of lines of one comment, but not from one piece to the next.

def kept(text, pieces):
    out = []
    at = 0
    for start, end, words in pieces:
        out.append(separated(text[at:start]))
        out.append(words)
        at = end
    out.append(separated(text[at:]))
    return "".join(out)


def separated(code):
    return "".join("\n" if c == "\n" else " " if c.isspace() else "\0" for c in code)


def without_code(words):
    """`code` in a comment or a message is not prose."""
    return re.sub(r"`[^`\n]*`", lambda found: "\0" * len(found.group()), words)


CPP_TEXT = re.compile(
    r'R"(?P<tag>\w*)\((?P<raw>.*?)\)(?P=tag)"|"(?P<string>(?:\\.|[^"\\\n])*)"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])+\''
    r"|//(?P<line>[^\n]*)|/\*(?P<block>.*?)\*/|^\#include[^\n]*|\b(?:TEST|TEST_F|TEST_P|TYPED_TEST)\((?P<test>[^)\n]*)\)",
    re.S | re.M)


def read_cpp(text):
    pieces = []
    for found in CPP_TEXT.finditer(text):
        if found.lastgroup is None:
            continue
        group = next(name for name in ("raw", "string", "line", "block", "test") if found.group(name) is not None)
        words = found.group(group)
        if group == "string":
            if re.fullmatch(r"\w*", words):
                continue  # a key, not prose
            words = re.sub(r"\\.", "  ", words)
        if group == "test":
            words = words.replace("_", " ")
        before, after = found.start(group) - found.start(), found.end() - found.end(group)
        pieces.append((found.start(), found.end(), " " * before + without_code(words) + " " * after))
    return kept(text, pieces)


def read_python(text):
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    pieces = []
    previous = ""
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        start = starts[token.start[0] - 1] + token.start[1]
        end = starts[token.end[0] - 1] + token.end[1]
        if token.type in (tokenize.STRING, tokenize.COMMENT):
            words = re.sub(r"\\[nt'\"]", "  ", text[start:end])
            if token.type == tokenize.STRING and re.fullmatch(r"\w*['\"]\w*['\"]", words):
                continue
            pieces.append((start, end, without_code(re.sub(r"[\"'#]", " ", words))))
        elif token.type == tokenize.NAME and previous == "def" and token.string.startswith("test_"):
            pieces.append((start, end, token.string.replace("_", " ")))
        previous = token.string
    return kept(text, pieces)


def read_comments(text):
    found = re.finditer(r"(?<!\S)#[^\n]*", text)
    return kept(text, [(hit.start(), hit.end(), " " + without_code(hit.group()[1:])) for hit in found])


def read_markdown(text):
    blank = lambda found: "\0" * len(found.group())  # noqa: E731
    text = re.sub(r"^```.*?^```", lambda found: re.sub(r"`", " ", found.group()), text, flags=re.S | re.M)
    text = without_code(text)
    return re.sub(r"\]\([^)\n]*\)|https?://\S+", blank, text)


READERS = {".cpp": read_cpp, ".hpp": read_cpp, ".py": read_python, ".sh": read_comments, ".md": read_markdown}


def reader_of(path):
    if path.name.endswith(".schema.json"):
        return without_code
    if path.name in ("CMakeLists.txt", "Makefile"):
        return read_comments
    return READERS.get(path.suffix)


def word_hits(path, text):
    prose = reader_of(path)(text)
    for rule, words, unless in COMPILED:
        fine = [found.span() for found in unless.finditer(prose)] if unless else []
        for found in words.finditer(prose):
            if not any(start <= found.start() and found.end() <= end for start, end in fine):
                yield found.start(), re.sub(r"\s+", " ", found.group()), rule.instead


def long_lines(text):
    is_code = False
    at = 0
    for line in text.splitlines(keepends=True):
        if line.startswith("```"):
            is_code = not is_code
        is_layout = is_code or re.match(r"    |\t|\||\[[^\]]+\]:", line)
        if len(line.rstrip("\n")) > LONGEST_LINE and not is_layout:
            yield at, f"{len(line) - 1} characters", f"one sentence or clause per line, at most {LONGEST_LINE}"
        at += len(line)


def hits_of(name):
    path = ROOT / name
    text = path.read_text(errors="replace")
    hits = list(word_hits(path, text))
    if path.suffix == ".md":
        hits += long_lines(text)
    for at, words, instead in sorted(hits):
        yield text.count("\n", 0, at) + 1, words, instead


def is_below(name, folder):
    return name == folder or name.startswith(folder.rstrip("/") + "/")


def files_to_read(folders):
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=ROOT, check=True,
                            capture_output=True, text=True).stdout.split("\n")
    skipped = ("src/third_party", "testing/third_party")
    for name in sorted(set(listed)):
        path = ROOT / name
        if not name or not path.is_file() or not reader_of(path) or any(is_below(name, s) for s in skipped):
            continue
        if not folders or any(is_below(name, folder) for folder in folders):
            yield name


def main():
    folders = [str(pathlib.Path(name).resolve().relative_to(ROOT)) for name in sys.argv[1:]]
    problems = []
    unused = set(EXCEPTIONS)
    not_yet = dict.fromkeys(PATHS_NOT_YET, 0)
    count = 0
    for name in files_to_read(folders):
        count += 1
        waiting = next((path for path in PATHS_NOT_YET if is_below(name, path)), None)
        for line, words, instead in hits_of(name):
            accepted = ("*", words.lower()) if not instead.startswith("one sentence") else ()
            excepted = [entry for entry in EXCEPTIONS if entry[0] == name and entry[1].lower() in accepted]
            unused.difference_update(excepted)
            if excepted:
                continue
            if waiting and not folders:
                not_yet[waiting] += 1
            else:
                problems.append(f"{name}:{line}: {words}: {instead}")
    if not folders:
        problems += [f"tools/check_words.py: the exception {entry} is not needed any more" for entry in sorted(unused)]
        problems += [f"tools/check_words.py: {path} of PATHS_NOT_YET does not exist" for path in not_yet if not (ROOT / path).exists()]
    if problems:
        print("\n".join(problems), file=sys.stderr)
        return 1
    waiting = {path: hits for path, hits in not_yet.items()} if not folders else {}
    clean = [path for path, hits in waiting.items() if hits == 0]
    if clean:
        print(f"words: clean, to be removed from PATHS_NOT_YET: {', '.join(clean)}")
    print(f"words: {count} files" + (f", {sum(waiting.values())} hits in {len(waiting)} paths that are not reworded yet" if waiting else ""))
    return 0


if __name__ == "__main__":
    sys.exit(main())
