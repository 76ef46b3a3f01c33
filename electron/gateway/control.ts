import { createHash } from 'node:crypto'
import { chmodSync, mkdirSync, rmSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { z } from 'zod'

/** A command for the gateway that has the data folder open. */
export const ControlRequest = z.object({
  command: z.string().max(100),
  arguments: z.array(z.string().max(4096)).max(20).default([]),
  options: z.record(z.string(), z.union([z.string().max(65_536), z.boolean()])).default({}),
  input: z.string().max(65_536).default(''),
})
export type ControlRequest = z.output<typeof ControlRequest>

export const ControlReply = z.object({ ok: z.boolean(), output: z.string() })
/** `output` is what the command prints, or the sentence that says why it failed. */
export type ControlReply = z.output<typeof ControlReply>

const MOST_BYTES = 256 * 1024
const ANSWER_MS = 30_000

/**
 * Where the running gateway of a data folder listens for commands: a Unix socket in it that only its owner can open, or a named pipe.
 * A path too long for a socket address (108 bytes on Linux, 104 on macOS) moves to an owner-only folder of the temporary one.
 */
export function controlPath(folder: string): string {
  const name = createHash('sha256').update(resolve(folder)).digest('hex').slice(0, 24)
  if (process.platform === 'win32') return `\\\\.\\pipe\\isthmus-${name}`
  const inFolder = join(resolve(folder), 'control.sock')
  return Buffer.byteLength(inFolder) < 100 ? inFolder : join(tmpdir(), `isthmus-${process.getuid?.() ?? 0}`, `${name}.sock`)
}

/** Listens for commands, one JSON line each way a connection. The caller holds the folder's lock, so a socket left behind is nobody's. */
export async function openControl(folder: string, run: (request: ControlRequest) => Promise<ControlReply>): Promise<AsyncDisposable> {
  const path = controlPath(folder)
  const open = new Set<Socket>()
  const server = createServer((socket) => {
    open.add(socket)
    socket.on('close', () => open.delete(socket))
    socket.on('error', () => socket.destroy())
    readLine(socket)
      .then((line) => run(ControlRequest.parse(JSON.parse(line))))
      .catch((error: Error) => ({ ok: false, output: error.message }))
      .then((reply) => socket.end(`${JSON.stringify(reply)}\n`))
      .catch(() => socket.destroy())
  })
  if (process.platform !== 'win32') {
    rmSync(path, { force: true })
    mkdirSync(join(path, '..'), { recursive: true, mode: 0o700 })
  }
  await new Promise<void>((settle, fail) => server.once('error', fail).listen(path, settle))
  if (process.platform !== 'win32') chmodSync(path, 0o600)
  return {
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy()
      await new Promise<void>((settle) => server.close(() => settle()))
    },
  }
}

/** Asks the gateway that has the folder open; rejects with the socket's error where none listens. */
export async function askControl(folder: string, request: z.input<typeof ControlRequest>): Promise<ControlReply> {
  const socket = connect(controlPath(folder))
  try {
    await new Promise<void>((settle, fail) => socket.once('connect', settle).once('error', fail))
    socket.write(`${JSON.stringify(request)}\n`)
    return ControlReply.parse(JSON.parse(await readLine(socket)))
  } finally {
    socket.destroy()
  }
}

/** The first line that comes; bounded in bytes and time. */
function readLine(socket: Socket): Promise<string> {
  return new Promise((settle, fail) => {
    let text = ''
    socket.setTimeout(ANSWER_MS, () => fail(new Error(`No answer within ${ANSWER_MS / 1000} s.`)))
    socket.setEncoding('utf8')
    socket.on('error', fail)
    socket.on('close', () => fail(new Error('The connection was closed before an answer.')))
    socket.on('data', (chunk: string) => {
      text += chunk
      const end = text.indexOf('\n')
      if (end >= 0) settle(text.slice(0, end))
      else if (text.length > MOST_BYTES) fail(new Error('The message is too large.'))
    })
  })
}
