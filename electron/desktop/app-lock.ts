import { createHash } from 'node:crypto'
import { rmSync } from 'node:fs'
import { connect, createServer, type Server } from 'node:net'
import { userInfo } from 'node:os'
import { z } from 'zod'

const Holder = z.object({
  user: z.string().regex(/^[\p{L}\p{N} ._@\\-]{1,64}$/u),
  pid: z.int().positive(),
})
/** The process that holds the lock, and its user. */
export type Holder = z.infer<typeof Holder>

export type MachineLock = Disposable | { readonly heldBy: Holder | undefined }

const ANSWER_TIMEOUT_MS = 2_000
const MAX_ANSWER_LENGTH = 1_000

/**
 * Locks the app for the whole machine; Electron's own lock is per user. The lock ends with its
 * process, and its holder can be queried by other processes. The gateway's lock on its data folder
 * and its ports are additional safeguards.
 * @param name what may run only once, such as a data folder
 */
export async function acquireMachineLock(name: string): Promise<MachineLock> {
  const path = machineSocketPath(name)
  const holderJson = JSON.stringify({
    user: userInfo().username,
    pid: process.pid,
  } satisfies Holder)
  for (let tries = 0; tries < 2; tries++) {
    const server = await listen(path, holderJson)
    if (server) return { [Symbol.dispose]: () => void server.close() }
    const answer = await ask(path)
    if (answer !== 'nobody') return { heldBy: answer }
    deleteStaleSocket(path)
  }
  // A stale socket of another user cannot be deleted, and is no reason not to start.
  return { [Symbol.dispose]: () => undefined }
}

function deleteStaleSocket(path: string): void {
  try {
    rmSync(path, { force: true })
  } catch {
    // The socket belongs to another user.
  }
}

/** A socket name visible to all users of the machine. */
export function machineSocketPath(
  name: string,
  platform: NodeJS.Platform = process.platform,
): string {
  const id = `isthmus-app-${createHash('sha256').update(name).digest('hex').slice(0, 24)}`
  if (platform === 'win32') return `\\\\.\\pipe\\${id}`
  // An abstract address (unix(7)) leaves no file behind.
  return platform === 'linux' ? `\0${id}` : `/tmp/${id}.sock`
}

/** Undefined if the name is in use. */
function listen(path: string, holderJson: string): Promise<Server | undefined> {
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy())
    socket.setTimeout(ANSWER_TIMEOUT_MS, () => socket.destroy())
    socket.resume().end(`${holderJson}\n`)
  })
  server.unref()
  return new Promise((settle) => {
    server.once('error', () => settle(undefined))
    // Other users may query the holder; what they send is ignored. An abstract address has no file
    // mode.
    const isOpen = process.platform !== 'linux'
    server.listen({ path, readableAll: isOpen, writableAll: isOpen }, () => settle(server))
  })
}

/**
 * The holder that listens on the socket; `nobody` if the socket is stale; undefined if it does not
 * answer.
 */
function ask(path: string): Promise<Holder | 'nobody' | undefined> {
  return new Promise((settle) => {
    let text = ''
    const socket = connect(path)
    socket.setEncoding('utf8')
    socket.setTimeout(ANSWER_TIMEOUT_MS, () => socket.destroy())
    socket.on('data', (chunk) => {
      text += chunk
      if (text.length > MAX_ANSWER_LENGTH) socket.destroy()
    })
    socket.on('error', (error: NodeJS.ErrnoException) =>
      settle(['ECONNREFUSED', 'ENOENT'].includes(error.code ?? '') ? 'nobody' : undefined),
    )
    socket.on('close', () => settle(holderOf(text)))
  })
}

function holderOf(text: string): Holder | undefined {
  try {
    return Holder.parse(JSON.parse(text))
  } catch {
    return undefined
  }
}
