import { createHash } from 'node:crypto'
import { chmodSync, lstatSync, mkdirSync, rmSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { z } from 'zod'
import { StartError } from '#server/http/start-error.ts'
import { json } from '#server/platform/text.ts'
import { verbatim } from '#shared/messages/message.ts'
import { Message } from '#shared/messages/message-schema.ts'

/** A command for the gateway that has the data folder open. */
export const ControlRequest = z.object({
  command: z.string().max(100),
  arguments: z.array(z.string().max(4096)).max(20).default([]),
  options: z.record(z.string(), z.union([z.string().max(65_536), z.boolean()])).default({}),
  input: z.string().max(65_536).default(''),
})
export type ControlRequest = z.output<typeof ControlRequest>

export const ControlReply = z.object({
  ok: z.boolean(),
  output: z.string(),
  explanation: Message.optional(),
})
/**
 * `output` is the output of the command, or a sentence that explains its failure; `explanation` is
 * the same explanation as a message for the window.
 */
export type ControlReply = z.output<typeof ControlReply>

/** Maximum length of a message, in characters. */
const MAX_MESSAGE_LENGTH = 256 * 1024
const TIMEOUT_MS = 30_000
/**
 * A command such as a backup may take long. Meanwhile, a space is sent at this interval, so that
 * the client does not time out.
 */
const KEEP_ALIVE_INTERVAL_MS = 10_000
/** How long the peer may take to close the connection after the reply. */
const CLOSE_TIMEOUT_MS = 1_000

/**
 * Address of the control socket of a data folder: a Unix socket in the folder that only its owner
 * can open, or a named pipe. If the path is too long for a socket address (108 bytes on Linux, 104
 * on macOS), the socket is in an owner-only folder in the temporary directory.
 */
export function controlPath(folder: string): string {
  const name = createHash('sha256').update(resolve(folder)).digest('hex').slice(0, 24)
  if (process.platform === 'win32') return `\\\\.\\pipe\\isthmus-${name}`
  const socketInFolder = join(resolve(folder), 'control.sock')
  return Buffer.byteLength(socketInFolder) < 100
    ? socketInFolder
    : join(tmpdir(), `isthmus-${process.getuid?.() ?? 0}`, `${name}.sock`)
}

/**
 * Listens for commands: one JSON line per direction and connection. The caller holds the folder's
 * lock, so an existing socket file is stale and is deleted. Disposal waits until running commands
 * have been answered.
 */
export async function openControl(
  folder: string,
  run: (request: ControlRequest) => Promise<ControlReply>,
): Promise<AsyncDisposable> {
  const path = controlPath(folder)
  const open = new Set<Socket>()
  const running = new Set<Promise<void>>()
  const server = createServer((socket) => {
    open.add(socket)
    socket.on('close', () => open.delete(socket))
    socket.on('error', () => socket.destroy())
    readLine(socket)
      .then((line) => {
        const keepAlive = setInterval(() => socket.write(' '), KEEP_ALIVE_INTERVAL_MS)
        const work = execute(line, run)
          .finally(() => clearInterval(keepAlive))
          .then((reply) => sendReply(socket, reply))
        running.add(work)
        return work.finally(() => running.delete(work))
      })
      .catch((error: Error) => sendReply(socket, { ok: false, output: error.message }))
  })
  if (process.platform !== 'win32') {
    if (dirname(path) !== resolve(folder)) makePrivateFolder(dirname(path))
    rmSync(path, { force: true })
  }
  await new Promise<void>((settle, fail) => server.once('error', fail).listen(path, settle))
  if (process.platform !== 'win32') chmodSync(path, 0o600)
  return {
    async [Symbol.asyncDispose]() {
      const closed = new Promise<void>((settle) => server.close(() => settle()))
      await Promise.allSettled(running)
      for (const socket of open) socket.destroy()
      await closed
    },
  }
}

/**
 * Sends a command to the gateway that has the folder open.
 * @throws StartError; the socket's error if no gateway listens or the command was not sent
 */
export async function sendCommand(
  folder: string,
  request: z.input<typeof ControlRequest>,
): Promise<ControlReply> {
  const path = controlPath(folder)
  if (process.platform !== 'win32' && dirname(path) !== resolve(folder))
    makePrivateFolder(dirname(path))
  const socket = connect(path)
  try {
    await new Promise<void>((settle, fail) => socket.once('connect', settle).once('error', fail))
    socket.write(`${JSON.stringify(request)}\n`)
    return ControlReply.parse(JSON.parse(await readLine(socket)))
  } finally {
    socket.destroy()
  }
}

/**
 * Creates a folder that only this account can access. Another user could have created it first in
 * the temporary directory to receive passwords.
 * @throws StartError
 */
function makePrivateFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const found = lstatSync(folder)
  if (found.isDirectory() && found.uid === process.getuid?.() && (found.mode & 0o077) === 0) return
  throw new StartError(
    verbatim(
      `${folder} is not this account's alone, so commands cannot pass through it: remove it, or use a shorter --data path.`,
    ),
  )
}

async function execute(
  line: string,
  run: (request: ControlRequest) => Promise<ControlReply>,
): Promise<ControlReply> {
  const request = ControlRequest.safeParse(json(line))
  return request.success
    ? await run(request.data)
    : { ok: false, output: 'The message is not a command.' }
}

/** Resolves when the reply has been sent. */
function sendReply(socket: Socket, reply: ControlReply): Promise<void> {
  setTimeout(() => socket.destroy(), CLOSE_TIMEOUT_MS).unref()
  return new Promise((settle) => {
    socket.once('close', settle)
    socket.end(`${JSON.stringify(reply)}\n`, settle)
  })
}

/**
 * Reads the first line, limited in length and time; the rest is discarded.
 * @throws StartError
 */
function readLine(socket: Socket): Promise<string> {
  return new Promise((settle, fail) => {
    let text = ''
    const onData = (chunk: string) => {
      text += chunk
      const end = text.indexOf('\n')
      if (end < 0 && text.length <= MAX_MESSAGE_LENGTH) return
      socket.off('data', onData).resume()
      if (end >= 0) settle(text.slice(0, end))
      else fail(new StartError(verbatim('The message is too large.')))
    }
    socket.setTimeout(TIMEOUT_MS, () =>
      fail(new StartError(verbatim(`No answer within ${TIMEOUT_MS / 1000} s.`))),
    )
    socket.setEncoding('utf8')
    socket.on('error', fail)
    socket.on('close', () =>
      fail(
        new StartError(
          verbatim(
            'The gateway ended before it answered: see whether the command was carried out before you give it again.',
          ),
        ),
      ),
    )
    socket.on('data', onData)
  })
}
