import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import type { SettingOverrides } from '#server/configuration/settings.ts'
import { openContext } from '#server/context.ts'
import { addDevice } from '#server/modules/devices/devices.ts'
import { setPartner } from '#server/modules/partners/service.ts'
import type { NewDevice } from '#shared/contract/devices.ts'
import { scratchFolder } from './dcmtk.ts'
import { PROGRAM, PROGRAM_ENVIRONMENT } from './program.ts'

export const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const LISTENERS = ['--http', '127.0.0.1:0', '--dimse', '127.0.0.1:0', '--dimse-tls', 'off']

export interface GatewayProcessOptions {
  readonly partnerUrl: string
  readonly settings?: SettingOverrides
  readonly devices?: readonly NewDevice[]
}

/**
 * The gateway as it runs in a clinic, in a process of its own, so that its memory and its survival
 * can be looked at from outside.
 */
export interface GatewayProcess extends AsyncDisposable {
  readonly pid: number
  readonly dimsePort: number
  /** Base URL of the window. */
  readonly http: string
  readonly folder: string
  /** What it logged so far. */
  readonly log: readonly string[]
  readonly isAlive: boolean
  /**
   * Processor time it has used, seconds: of all its threads, and the same on a busy machine as on
   * an idle one.
   */
  cpuSeconds(): number
  /** Runs the work; MiB by which its memory (PSS) grew meanwhile, at the most. */
  growthDuring(work: () => Promise<unknown>): Promise<number>
  /** SIGTERM; its exit code. */
  stop(): Promise<number | null>
}

/**
 * Spawns one on free ports of 127.0.0.1 and a data folder of its own, open to devices it does not
 * know.
 */
export async function spawnGateway({
  partnerUrl,
  settings = {},
  devices = [],
}: GatewayProcessOptions): Promise<GatewayProcess> {
  const scratch = scratchFolder()
  const folder = join(scratch.path, 'data')
  prepare(folder, partnerUrl, settings, devices)
  const words = ['serve', '--data', folder, ...LISTENERS, '--allow-unknown-devices']
  const child = spawn(process.execPath, [PROGRAM, ...words], {
    env: PROGRAM_ENVIRONMENT,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const log: string[] = []
  createInterface({ input: child.stderr }).on('line', (line) => log.push(line))
  const exited = once(child, 'exit')
  const ready = await Promise.race([
    once(createInterface({ input: child.stdout }), 'line'),
    exited.then(() => undefined),
  ])
  if (!ready) throw new Error(`the gateway did not start: ${log.join('\n')}`)
  const { http, dimse } = JSON.parse(String(ready[0])) as { http: string; dimse: string }

  async function stop(): Promise<number | null> {
    child.kill('SIGTERM')
    await exited
    return child.exitCode
  }
  return {
    pid: child.pid ?? 0,
    dimsePort: Number(dimse.split(':').at(-1)),
    http,
    folder,
    log,
    get isAlive() {
      return isAlive(child)
    },
    cpuSeconds: () => cpuSecondsOf(child),
    async growthDuring(work) {
      const before = memoryOf(child)
      let most = before
      let isOver = false
      const watching = (async () => {
        while (!isOver && isAlive(child)) {
          most = Math.max(most, memoryOf(child))
          await sleep(25)
        }
      })()
      try {
        await work()
      } finally {
        isOver = true
        await watching
      }
      return most - before
    },
    stop,
    async [Symbol.asyncDispose]() {
      if (isAlive(child)) await stop()
      scratch[Symbol.dispose]()
    },
  }
}

function prepare(
  folder: string,
  partnerUrl: string,
  settings: SettingOverrides,
  devices: readonly NewDevice[],
): void {
  using context = openContext({ folder })
  // A small disk is no concern of a test.
  context.settings.change(
    { 'intake.stopGigabytes': 0, 'intake.warnGigabytes': 0, ...settings },
    'command-line',
  )
  setPartner(context, { url: partnerUrl, secret: SECRET, allowPlaintext: true }, 'command-line')
  for (const device of devices) addDevice(context, device, 'command-line')
}

const isAlive = ({ exitCode, signalCode }: ChildProcess): boolean =>
  exitCode === null && signalCode === null

/** User and system time (proc_pid_stat(5), fields 14 and 15), which Linux counts in hundredths. */
function cpuSecondsOf({ pid }: ChildProcess): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) / 100
}

/** Its own memory, MiB. Pages of the node binary are shared out anew whenever another one ends. */
function memoryOf({ pid }: ChildProcess): number {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
  return Number(/^Pss_Anon:\s+(\d+) kB/m.exec(text)?.[1]) / 1024
}
