import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { scratchFolder } from './dcmtk.ts'
import { freePort } from './free-port.ts'

/** A DCMTK server for tests: what another system in the clinic does. */
export interface Archive extends AsyncDisposable {
  readonly port: number
  readonly folder: string
  /** Names of the files it has written, sorted. */
  files(): string[]
  /** What it has said so far. */
  output(): string
}

const env = { ...process.env, TCP_NODELAY: '1' }

/** DCMTK's `storescp`: takes every image into its folder. Further arguments as it knows them. */
export async function startStorescp(
  args: readonly string[] = [],
  aeTitle = 'STORESCP',
): Promise<Archive> {
  const scratch = scratchFolder()
  const port = await freePort()
  const folder = join(scratch.path, 'received')
  mkdirSync(folder)
  return started(
    ['storescp', '-v', '-aet', aeTitle, '-od', folder, ...args, String(port)],
    port,
    folder,
    scratch,
  )
}

/** A node that `dcmqrscp` sends to. */
export interface KnownNode {
  readonly aeTitle: string
  readonly port: number
}

/**
 * DCMTK's `dcmqrscp`: an archive called QRSCP that stores, answers queries and sends studies to the
 * nodes it knows.
 */
export async function startDcmqrscp(nodes: readonly KnownNode[] = []): Promise<Archive> {
  const scratch = scratchFolder()
  const port = await freePort()
  const folder = join(scratch.path, 'database')
  mkdirSync(folder)
  const config = join(scratch.path, 'dcmqrscp.cfg')
  const lines = [
    ...[`NetworkTCPPort = ${port}`, 'MaxPDUSize = 16384', 'MaxAssociations = 16'],
    ...[
      'HostTable BEGIN',
      ...nodes.map(({ aeTitle, port: at }, i) => `node${i} = (${aeTitle}, localhost, ${at})`),
      'HostTable END',
    ],
    ...['VendorTable BEGIN', 'VendorTable END'],
    ...['AETable BEGIN', `QRSCP ${folder} RW (200, 1024mb) ANY`, 'AETable END'],
  ]
  writeFileSync(config, `${lines.join('\n')}\n`)
  return started(['dcmqrscp', '-v', '-c', config], port, folder, scratch)
}

async function started(
  words: readonly string[],
  port: number,
  folder: string,
  scratch: Disposable,
): Promise<Archive> {
  const [command = '', ...args] = words
  const server = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [server.stdout, server.stderr])
    stream.setEncoding('latin1').on('data', (text: string) => (output += text))
  await listening(port, server, () => output)
  return {
    port,
    folder,
    files: () => readdirSync(folder).sort(),
    output: () => output,
    async [Symbol.asyncDispose]() {
      const ended = new Promise((resolve) => server.once('exit', resolve))
      if (server.exitCode === null && server.signalCode === null) {
        server.kill('SIGKILL')
        await ended
      }
      scratch[Symbol.dispose]()
    },
  }
}

async function listening(port: number, server: ChildProcess, output: () => string): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt++) {
    if (server.exitCode !== null) throw new Error(`the server ended: ${output()}`)
    const socket = connect(port, '127.0.0.1')
    const isThere = await new Promise<boolean>((resolve) => {
      socket.once('connect', () => resolve(true))
      socket.once('error', () => resolve(false))
    })
    socket.destroy()
    if (isThere) return
    await sleep(50)
  }
  throw new Error(`the server does not listen: ${output()}`)
}

/** The bytes of a file in an archive's folder. */
export const receivedFile = ({ folder }: Archive, name: string): Buffer =>
  readFileSync(join(folder, name))
