import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pagesOf } from '../../scripts/docs/documents.ts'
import { freePort } from './free-port.ts'
import { PROGRAM } from './program.ts'
import { tempFolder } from './temp-store.ts'

// The examples of a document, taken out of its Markdown and run one after another, as a reader does
// who follows it from top to bottom.

/** A fenced block. */
export interface Block {
  readonly language: string
  /** Words behind the language: `event report.delivered`. */
  readonly info: string
  readonly text: string
  readonly line: number
}

/**
 * What is done at one place of the document. sh: run; file: kept under its name; act: done by the
 * test, as a comment asks.
 */
export interface Step {
  readonly kind: 'sh' | 'file' | 'act'
  readonly line: number
  readonly heading: string
  readonly text: string
  /** Of a file: the first line's comment, `// isthmus.ts`. */
  readonly name: string
  /** HTTP status that is said before the answer. */
  readonly status: number | undefined
  /** JSON that is shown as the answer. */
  readonly json: string | undefined
  /** What is shown as printed. */
  readonly output: string | undefined
}

const FILES = new Set(['ts', 'js', 'python'])

/** Every fenced block, in order. */
export function blocksOf(markdown: string): Block[] {
  const blocks: Block[] = []
  let open: { language: string; info: string; line: number; lines: string[] } | undefined
  for (const [index, line] of markdown.split('\n').entries()) {
    const [, language = '', info = ''] = /^```(\w*) ?(.*)$/.exec(line) ?? []
    if (!line.startsWith('```')) open?.lines.push(line)
    else if (open) {
      blocks.push({
        language: open.language,
        info: open.info,
        text: `${open.lines.join('\n')}\n`,
        line: open.line,
      })
      open = undefined
    } else open = { language, info, line: index + 1, lines: [] }
  }
  return blocks
}

/**
 * What a reader does, in order: commands with the answer shown below them, files to keep, and what
 * a comment says the test does.
 */
export function stepsOf(markdown: string): Step[] {
  const lines = markdown.split('\n')
  const blocks = new Map(blocksOf(markdown).map((block) => [block.line, block]))
  const steps: Step[] = []
  let heading = ''
  let status: number | undefined
  let inBlock = 0
  for (const [index, line] of lines.entries()) {
    const block = blocks.get(index + 1)
    if (block) inBlock = block.text.split('\n').length
    else if (inBlock-- > 0) continue
    heading = /^#+ (.*)/.exec(line)?.[1] ?? heading
    if (/^`\d{3}`/.test(line)) status = Number(line.slice(1, 4))
    const comment = /^<!-- (.*) -->$/.exec(line)?.[1]
    const step = {
      line: index + 1,
      heading,
      name: '',
      status: undefined,
      json: undefined,
      output: undefined,
    }
    if (comment) steps.push({ ...step, kind: 'act', text: comment })
    if (!block) continue
    const before = steps.at(-1)
    if (block.language === 'sh') steps.push({ ...step, kind: 'sh', text: block.text })
    else if (FILES.has(block.language))
      steps.push({
        ...step,
        kind: 'file',
        text: block.text,
        name: /^(?:\/\/|#) (\S+)/.exec(block.text)?.[1] ?? '',
      })
    else if (before && block.info === '' && block.language === 'json')
      steps.splice(-1, 1, { ...before, json: block.text, status })
    else if (before && block.info === '' && block.language === 'text')
      steps.splice(-1, 1, { ...before, output: block.text })
    if (block.language !== 'json') status = undefined
  }
  return steps
}

/** A call that an example made, by curl or by fetch. */
export interface DocumentedCall {
  readonly method: string
  readonly url: URL
  /** 0 where no answer came. */
  readonly status: number
}

export interface Ran {
  readonly exitCode: number
  readonly output: string
  readonly complaints: string
  readonly calls: readonly DocumentedCall[]
}

/** A terminal without commands of the test's own: what a reader has. */
export interface ReaderTerminal {
  /** Where the reader begins. */
  readonly folder: string
  /** Where commands are looked for. */
  readonly path: string
}

/** One terminal in a folder of its own, in which examples follow each other. */
export interface Terminal extends AsyncDisposable {
  /** Resolves when the commands are through; what they left in the background goes on. */
  run(commands: string): Promise<Ran>
  /** Keeps a file that the document shows. */
  keep(name: string, text: string): void
  /** A variable of the terminal. */
  value(name: string): Promise<string>
  /** The free port that stands for one of the document. */
  port(shown: number): number
}

const END = '<<end of example>>'
/** Between the parts of a line of the record of calls, and after it. */
const PART = '\u001f'
const LINE = '\u001e'

/**
 * Opens it. `npm run -s gateway --` is the command line of these sources, `node` this Node; curl
 * and fetch are the real ones, and each call of theirs is noted.
 * @param shownPorts ports that the document names; others, which are free, stand for them
 * @param reader runs the commands as they are, in place of all that
 */
export async function openTerminal(
  shownPorts: readonly number[],
  reader?: ReaderTerminal,
): Promise<Terminal> {
  const temp = tempFolder()
  const bin = join(temp.folder, 'bin')
  const work = reader?.folder ?? join(temp.folder, 'work')
  const record = join(bin, 'calls')
  mkdirSync(bin)
  if (!reader) {
    mkdirSync(work)
    furnish(bin, record)
    writeFileSync(join(work, 'package.json'), '{"type":"module"}')
  }
  const ports = new Map<number, number>()
  for (const shown of shownPorts) ports.set(shown, await freePort())
  const withPorts = (text: string) =>
    text.replace(/\b\d{4,5}\b/g, (number) => String(ports.get(Number(number)) ?? number))

  const own = { HOME: reader ? temp.folder : work, LC_ALL: 'C.UTF-8' }
  const env = reader
    ? { ...own, PATH: reader.path }
    : { ...process.env, ...own, PATH: `${bin}:${process.env.PATH}` }
  // A group of its own, with which everything ends that a reader's commands left behind.
  const bash = spawn('bash', ['--noprofile', '--norc'], { cwd: work, env, detached: true })
  const said = listen(bash)
  let number = 0
  let noted = 0

  async function run(commands: string): Promise<Ran> {
    const script = join(bin, `example-${number++}.sh`)
    writeFileSync(script, withPorts(commands))
    const { output, complaints } = await said(`. '${script}' < /dev/null; echo "${END}$?"\n`)
    const end = output.lastIndexOf(END)
    const calls = callsOf(existsSync(record) ? readFileSync(record, 'utf8') : '')
    const own = calls.slice(noted)
    noted = calls.length
    return {
      exitCode: Number(output.slice(end + END.length)),
      output: output.slice(0, end),
      complaints,
      calls: own,
    }
  }

  return {
    run,
    keep: (name, text) => writeFileSync(join(work, name), withPorts(text)),
    value: async (name) => (await run(`printf %s "$${name}"`)).output,
    port: (shown) => ports.get(shown) ?? shown,
    async [Symbol.asyncDispose]() {
      for (const pid of pidsIn(bin)) endProcess(pid)
      if (reader) endGroup(bash)
      bash.kill('SIGKILL')
      if (bash.exitCode === null && bash.signalCode === null) await once(bash, 'exit')
      temp[Symbol.dispose]()
    },
  }
}

/** Commands in whose place the test's own stand. */
function furnish(bin: string, record: string): void {
  const real = spawnSync('which', ['curl'], { encoding: 'utf8' }).stdout.trim()
  const script = (name: string, ...lines: string[]) => {
    writeFileSync(join(bin, name), `${['#!/bin/bash', ...lines].join('\n')}\n`)
    chmodSync(join(bin, name), 0o755)
  }
  const noteOwn = `echo $$ >> '${join(bin, 'pids')}'`
  script(
    'npm',
    '[ "$1 $2 $3 $4" = "run -s gateway --" ] || { echo "not the command line of the gateway: npm $*" >&2; exit 2; }',
    noteOwn,
    `exec '${process.execPath}' '${PROGRAM}' "\${@:5}"`,
  )
  script(
    'node',
    noteOwn,
    `exec '${process.execPath}' --import '${join(bin, 'note-fetch.mjs')}' "$@"`,
  )
  const python = spawnSync('which', ['python3'], { encoding: 'utf8' }).stdout.trim() || '/bin/false'
  const shifted =
    process.env.ISTHMUS_TEST_CLOCK_OFFSET === undefined
      ? ''
      : `'${join(import.meta.dirname, 'shifted-clock.py')}'`
  script('python3', noteOwn, `exec '${python}' ${shifted} "$@"`)
  script(
    'curl',
    'headers=$(mktemp)',
    `'${real}' --dump-header "$headers" "$@"`,
    'code=$?',
    `{ head -n 1 "$headers" | cut -d ' ' -f 2 | tr -d '\\r\\n'; printf '${PART}%s' "$@"; printf '${LINE}'; } >> '${record}'`,
    'rm -f "$headers"',
    'exit $code',
  )
  writeFileSync(
    join(bin, 'note-fetch.mjs'),
    `import { appendFileSync } from 'node:fs'
const real = globalThis.fetch
globalThis.fetch = async (url, options = {}) => {
  const answer = await real(url, options)
  appendFileSync(${JSON.stringify(record)}, [answer.status, '--request', options.method ?? 'GET', String(url)].join(${JSON.stringify(PART)}) + ${JSON.stringify(LINE)})
  return answer
}
`,
  )
}

const callsOf = (record: string): DocumentedCall[] =>
  record
    .split(LINE)
    .filter((line) => line !== '')
    .map((line) => {
      const [status = '', ...words] = line.split(PART)
      const after = (word: string) =>
        words.includes(word) ? words[words.indexOf(word) + 1] : undefined
      const isPost = words.some((word) => word.startsWith('--data')) && !words.includes('--get')
      const method =
        after('--request') ?? (words.includes('--head') ? 'HEAD' : isPost ? 'POST' : 'GET')
      return {
        method,
        url: new URL(words.find((word) => /^https?:\/\//.test(word)) ?? 'about:blank'),
        status: Number(status) || 0,
      }
    })

/** Hands lines to the shell; resolves with what came until the end of the example. */
function listen(
  bash: ChildProcessWithoutNullStreams,
): (lines: string) => Promise<{ output: string; complaints: string }> {
  let output = ''
  let complaints = ''
  let told: () => void = () => {}
  bash.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
    told()
  })
  bash.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaints += text
  })
  bash.once('exit', () => {
    output += `${END}-1\n`
    told()
  })
  return async (lines) => {
    output = ''
    complaints = ''
    const ended = new Promise<void>((resolve) => {
      told = () => {
        if (new RegExp(`${END}-?\\d+\\n`).test(output)) resolve()
      }
    })
    bash.stdin.write(lines)
    await ended
    return { output, complaints }
  }
}

const pidsIn = (bin: string): number[] =>
  existsSync(join(bin, 'pids'))
    ? readFileSync(join(bin, 'pids'), 'utf8').trim().split('\n').map(Number)
    : []

/**
 * What an example left behind. A number that was given to another process since then is not ended.
 */
function endProcess(pid: number): void {
  const commandOf = () => {
    try {
      return readFileSync(`/proc/${pid}/environ`, 'utf8')
    } catch {
      return ''
    }
  }
  if (!commandOf().includes('ISTHMUS_SECRET=')) return
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended meanwhile.
  }
}

function endGroup({ pid }: ChildProcessWithoutNullStreams): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // They have ended.
  }
}

// What is another one in every run. A document has some value of the same form.
const MASKS: readonly (readonly [form: RegExp, mask: string])[] = [
  [/\b(cus|usr|stu|rep|inv|whe|org)_[0-9a-f]{32}\b/g, '$1_*'],
  [/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, '*'],
  [/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z\b/g, '*'],
  [/\b127\.0\.0\.1:\d+\b/g, '127.0.0.1:*'],
  [/\bwhsec_[A-Za-z0-9+/]+=*/g, 'whsec_*'],
]
const masked = (text: string): string =>
  MASKS.reduce((before, [form, mask]) => before.replace(form, mask), text)

/**
 * Whether a text is what is shown: ids, instants and ports are of their form, and `…` stands for
 * anything.
 */
export function isShown(shown: string, real: string): boolean {
  const parts = masked(shown)
    .split('…')
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${parts.join('[^]*')}$`).test(masked(real))
}

/**
 * Where an answer is not as it is shown, a line each: other keys, other values but those that
 * differ from run to run.
 */
export function differences(shown: unknown, real: unknown, at = 'answer'): string[] {
  if (typeof shown === 'string' && typeof real === 'string')
    return isShown(shown, real)
      ? []
      : [`${at} is ${JSON.stringify(real)}, shown as ${JSON.stringify(shown)}`]
  if (!isTree(shown) || !isTree(real))
    return shown === real
      ? []
      : [`${at} is ${JSON.stringify(real)}, shown as ${JSON.stringify(shown)}`]
  if (Array.isArray(shown) !== Array.isArray(real))
    return [`${at} is ${JSON.stringify(real)}, shown as ${JSON.stringify(shown)}`]
  const names = [...new Set([...Object.keys(shown), ...Object.keys(real)])]
  return names.flatMap((name) => {
    if (!Object.hasOwn(real, name)) return [`${at}.${name} is shown and is not there`]
    if (!Object.hasOwn(shown, name))
      return [`${at}.${name} is there and is not shown: ${JSON.stringify(real[name])}`]
    return differences(shown[name], real[name], `${at}.${name}`)
  })
}

type Tree = Readonly<Record<string, unknown>>
const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null

/**
 * Rows of the tables of a document whose first cell is of this form; cells without their backticks.
 */
export const rowsOf = (markdown: string, first: RegExp): string[][] =>
  markdown
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) =>
      line
        .split(/(?<!\\)\|/)
        .slice(1, -1)
        .map((cell) => cell.trim().replaceAll('`', '').replaceAll('\\|', '|')),
    )
    .filter(([cell = '']) => first.test(cell))

/** The folder of the documents. */
export const documentsFolder = join(import.meta.dirname, '../../docs')
export const documentOf = (name: string): string =>
  readFileSync(join(documentsFolder, name), 'utf8')

/** A page of a document, which is named by its path in `docs/`. */
export interface DocumentPage {
  readonly name: string
  readonly text: string
}
/** The pages of a document in the order in which a reader follows them. */
export const documentPages = (name: string): DocumentPage[] =>
  pagesOf(name).map((page) => ({ name: page, text: documentOf(page) }))
