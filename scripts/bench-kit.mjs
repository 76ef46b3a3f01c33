// What the benchmarks share: a copy of the bench folder, processes beside it, and figures.
import { spawn, spawnSync } from 'node:child_process'
import { cpSync, existsSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { cpus, freemem } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { environment, node24, root, stop } from './setup.mjs'

const headless = join(root, 'dist', 'electron', 'headless.js')
export const SECRET = 'whsec_aXN0aG11cyBiZW5jaCBzZWNyZXQgMDEyMzQ1Njc='

/** Programs that were started and have not ended. */
const running = new Set()
// A benchmark that fails, or is interrupted, leaves none of them behind.
process.once('exit', () => {
  for (const child of running) child.kill('SIGTERM')
})
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(1))

/**
 * A copy of the bench folder in `work`, to be built with `build`.
 * @param {string} work an empty folder, which the caller removes
 * @param {Record<string, string>} more of the environment that the peers see
 */
export function openBenchFolder(work, more = {}) {
  const sources = process.env.ISTHMUS_BENCH ?? join(root, '..', 'shared', 'bench')
  if (!existsSync(join(sources, 'peers.sh')))
    stop(`The bench folder is not at ${sources}; ISTHMUS_BENCH names another place.`)
  const folder = join(work, 'bench')
  cpSync(sources, folder, { recursive: true })
  const env = {
    ...environment(),
    BENCH_WORK: join(work, 'peers'),
    AE: 'BENCH',
    TUNED: '1',
    ...more,
  }
  const call = (command, args, other = {}) => run(command, args, { ...env, ...other })
  const script = join(folder, 'peers.sh')
  const stopPeers = () => {
    if (existsSync(script)) call(script, ['stop'])
  }
  process.once('exit', stopPeers)
  return {
    folder,
    env,
    run: call,
    /** Ends the peers and every program that was started, before the folder is removed. */
    async end() {
      await allEnded()
      stopPeers()
    },
    build: () => call('make', ['-s', '-C', folder]),
    /**
     * Memory that a virtual machine has not touched before costs whoever touches it first: 11 µs a
     * page were seen, which is three times what storing takes, and falls on one server or the other
     * by chance. What is freed may go back to the host. So as much as is free is made page cache
     * before images are stored, of a file of holes, which gives way to what the servers write.
     */
    fillPageCache() {
      const holes = join(work, 'holes')
      writeFileSync(holes, '')
      truncateSync(holes, Math.floor(freemem() * 0.9))
      call('dd', [`if=${holes}`, 'of=/dev/null', 'bs=1M', 'status=none'])
    },
    /** The last line that `peers.sh` says: a pid, a path. */
    peers: (...args) => call(script, args.map(String)).trim().split('\n').at(-1),
    /** Figures of one run of the load generator, `errors` among them. */
    load(mode, port, ...args) {
      const words = [mode, '-p', String(port), '-a', 'BENCH', ...args.map(String)]
      const { stdout, stderr } = spawnSync(join(folder, 'bin', 'load'), words, {
        env,
        encoding: 'utf8',
      })
      const figures = Object.fromEntries(
        [...stdout.matchAll(/(\S+)=([\d.]+)/g)].map(([, name, value]) => [name, Number(value)]),
      )
      if (figures.errors === undefined) throw new Error(`load ${mode} at port ${port}: ${stderr}`)
      return figures
    },
  }
}

/** Runs a command to its end; what it printed. It rejects by an error with all it said. */
export function run(command, args, env = environment()) {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    env,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  })
  if (error) throw error
  if (status !== 0)
    throw new Error(`${command} ${args[0] ?? ''} ended with ${status}\n${stdout}${stderr}`)
  return stdout
}

/** A command of the built gateway that does its work and ends. */
export const command = (...args) => run(node24(), [headless, ...args])

/** A command of the built gateway that stays, once it is ready; rejects where it ends before. */
export const started = (args, env) => startedScript(headless, args, env)

/** A program of ours for Node that stays, once it is ready; rejects where it ends before. */
export function startedScript(file, args, env = environment()) {
  const child = spawn(node24(), [file, ...args.map(String)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env,
  })
  return new Promise((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', (line) =>
      resolve({ child, ready: JSON.parse(line) }),
    )
    child.once('exit', (status) => reject(new Error(`${args[0]} ended with ${status}`)))
    running.add(child)
    child.once('exit', () => running.delete(child))
  })
}

/** Ends a program; resolves at once where it has ended already. */
export function ended({ child }) {
  return new Promise((resolve) => {
    if (!running.delete(child)) return resolve()
    child.removeAllListeners('exit').once('exit', resolve)
    child.kill('SIGTERM')
  })
}

/** Ends every program of `started` and `startedScript` that is still running. */
export const allEnded = () => Promise.all([...running].map((child) => ended({ child })))

/** The port at which a gateway that is ready listens for devices. */
export const dimsePortOf = ({ ready }) => Number(ready.dimse.split(':').at(-1))

/**
 * MiB of a process and its children, what they share counted once; 0 of one that has ended
 * meanwhile.
 */
export function pssOf(pid) {
  try {
    const children = readdirSync(`/proc/${pid}/task`).flatMap((task) =>
      readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').trim().split(' ').filter(Boolean),
    )
    const own =
      Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0) /
      1024
    return children.reduce((sum, child) => sum + pssOf(Number(child)), own)
  } catch (error) {
    if (error.code === 'ENOENT' || error.code === 'ESRCH') return 0
    throw error
  }
}

/** When, where and on what a run was made, for the head of its table. */
export const aboutRun = (how) =>
  `${new Date().toISOString().slice(0, 10)}, ${cpus().length} cores (${cpus()[0]?.model.trim()}), Node ${process.versions.node}${how}`

/** Replaces the report of the last run in docs/benchmarks. */
export function writeReport(name, text) {
  const folder = join(root, 'docs', 'benchmarks')
  const [begin, end] = [`<!-- bench: ${name} -->`, '<!-- end -->']
  for (const file of readdirSync(folder).map((page) => join(folder, page))) {
    const before = readFileSync(file, 'utf8')
    const [from, to] = [before.indexOf(begin), before.indexOf(end, before.indexOf(begin))]
    if (from < 0 || to < 0) continue
    const report = text.trim().replace(/^(?!\|).{101,}$/gm, wrapped)
    writeFileSync(file, `${before.slice(0, from)}${begin}\n${report}\n${before.slice(to)}`)
    return
  }
  throw new Error(`No page in ${folder} has a place for the table: ${begin} … ${end}`)
}

/** A line of prose in lines of at most 100 characters. */
const wrapped = (line) => line.replace(/(.{1,100})(?: |$)/g, '$1\n').trimEnd()

/** The mean of the two in the middle where there is none in it; 0 of none. */
export function median(numbers) {
  const sorted = numbers.toSorted((a, b) => a - b)
  return sorted.length === 0
    ? 0
    : ((sorted[(sorted.length - 1) >> 1] ?? 0) + (sorted[sorted.length >> 1] ?? 0)) / 2
}
