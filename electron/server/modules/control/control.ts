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
 * `output` is what the command prints, or the sentence that says why it failed; `explanation` says
 * that to the window.
 */
export type ControlReply = z.output<typeof ControlReply>

/** Characters of a message. */
const MOST_LENGTH = 256 * 1024
const ANSWER_MS = 30_000
/**
 * A command may take long, such as a backup: so often its answer begins with another space, which
 * says that it is at work.
 */
const AT_WORK_MS = 10_000
/** What a peer may take to hang up when it has its answer. */
const CLOSING_MS = 1_000

/**
 * Where the running gateway of a data folder listens for commands: a Unix socket in it that only
 * its owner can open, or a named pipe. A path too long for a socket address (108 bytes on Linux,
 * 104 on macOS) moves to an owner-only folder of the temporary one.
 */
export function controlPath(folder: string): string {
  const name = createHash('sha256').update(resolve(folder)).digest('hex').slice(0, 24)
  if (process.platform === 'win32') return `\\\\.\\pipe\\isthmus-${name}`
  const inFolder = join(resolve(folder), 'control.sock')
  return Buffer.byteLength(inFolder) < 100
    ? inFolder
    : join(tmpdir(), `isthmus-${process.getuid?.() ?? 0}`, `${name}.sock`)
}

/**
 * Listens for commands, one JSON line each way a connection. The caller holds the folder's lock, so
 * a socket left behind is nobody's. Disposing it lets commands at work end and be answered.
 */
export async function openControl(
  folder: string,
  run: (request: ControlRequest) => Promise<ControlReply>,
): Promise<AsyncDisposable> {
  const path = controlPath(folder)
  const open = new Set<Socket>()
  const atWork = new Set<Promise<void>>()
  const server = createServer((socket) => {
    open.add(socket)
    socket.on('close', () => open.delete(socket))
    socket.on('error', () => socket.destroy())
    readLine(socket)
      .then((line) => {
        const atIt = setInterval(() => socket.write(' '), AT_WORK_MS)
        const work = carryOut(line, run)
          .finally(() => clearInterval(atIt))
          .then((reply) => answer(socket, reply))
        atWork.add(work)
        return work.finally(() => atWork.delete(work))
      })
      .catch((error: Error) => answer(socket, { ok: false, output: error.message }))
  })
  if (process.platform !== 'win32') {
    if (dirname(path) !== resolve(folder)) makeOwnFolder(dirname(path))
    rmSync(path, { force: true })
  }
  await new Promise<void>((settle, fail) => server.once('error', fail).listen(path, settle))
  if (process.platform !== 'win32') chmodSync(path, 0o600)
  return {
    async [Symbol.asyncDispose]() {
      const closed = new Promise<void>((settle) => server.close(() => settle()))
      await Promise.allSettled(atWork)
      for (const socket of open) socket.destroy()
      await closed
    },
  }
}

/**
 * Asks the gateway that has the folder open. @throws StartError; the socket's error where none
 * listens or the command was not taken
 */
export async function askControl(
  folder: string,
  request: z.input<typeof ControlRequest>,
): Promise<ControlReply> {
  const path = controlPath(folder)
  if (process.platform !== 'win32' && dirname(path) !== resolve(folder))
    makeOwnFolder(dirname(path))
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
 * Others may write to the temporary folder: one of them could have been first, to be told
 * passwords. @throws StartError
 */
function makeOwnFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const found = lstatSync(folder)
  if (found.isDirectory() && found.uid === process.getuid?.() && (found.mode & 0o077) === 0) return
  throw new StartError(
    verbatim(
      `${folder} is not this account's alone, so commands cannot pass through it: remove it, or use a shorter --data path.`,
    ),
  )
}

async function carryOut(
  line: string,
  run: (request: ControlRequest) => Promise<ControlReply>,
): Promise<ControlReply> {
  const request = ControlRequest.safeParse(json(line))
  return request.success
    ? await run(request.data)
    : { ok: false, output: 'The message is not a command.' }
}

/** Resolves when the reply is on its way. */
function answer(socket: Socket, reply: ControlReply): Promise<void> {
  setTimeout(() => socket.destroy(), CLOSING_MS).unref()
  return new Promise((settle) => {
    socket.once('close', settle)
    socket.end(`${JSON.stringify(reply)}\n`, settle)
  })
}

/**
 * The first line that comes, bounded in length and time; what comes behind it is dropped. @throws
 * StartError
 */
function readLine(socket: Socket): Promise<string> {
  return new Promise((settle, fail) => {
    let text = ''
    const take = (chunk: string) => {
      text += chunk
      const end = text.indexOf('\n')
      if (end < 0 && text.length <= MOST_LENGTH) return
      socket.off('data', take).resume()
      if (end >= 0) settle(text.slice(0, end))
      else fail(new StartError(verbatim('The message is too large.')))
    }
    socket.setTimeout(ANSWER_MS, () =>
      fail(new StartError(verbatim(`No answer within ${ANSWER_MS / 1000} s.`))),
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
    socket.on('data', take)
  })
}
