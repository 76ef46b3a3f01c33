import { execFile } from 'node:child_process'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { basename } from 'node:path'
import { promisify } from 'node:util'

export interface Holder {
  readonly name: string
  readonly pid: number
}

const TCP_LISTEN_STATE = '0A'
const run = promisify(execFile)

/**
 * The program that listens on a TCP port of this machine; undefined if it cannot be determined, for
 * example for processes of other users.
 */
export async function portHolder(port: number): Promise<Holder | undefined> {
  try {
    if (process.platform === 'linux') return linuxHolder(port)
    return process.platform === 'win32' ? await windowsHolder(port) : await unixHolder(port)
  } catch {
    return undefined
  }
}

function linuxHolder(port: number): Holder | undefined {
  const inodes = new Set<string>()
  for (const table of ['/proc/net/tcp', '/proc/net/tcp6']) {
    for (const line of readFileSync(table, 'utf8').split('\n').slice(1)) {
      const [, local, , state, , , , , , inode] = line.trim().split(/\s+/)
      if (
        state === TCP_LISTEN_STATE &&
        inode &&
        Number.parseInt(local?.split(':')[1] ?? '', 16) === port
      )
        inodes.add(`socket:[${inode}]`)
    }
  }
  for (const pid of inodes.size > 0
    ? readdirSync('/proc').filter((name) => /^\d+$/.test(name))
    : []) {
    if (openFileLinks(pid).some((file) => inodes.has(file)))
      return { pid: Number(pid), name: basename(readlinkSync(`/proc/${pid}/exe`)) }
  }
  return undefined
}

function openFileLinks(pid: string): string[] {
  const link = (fd: string): string => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${fd}`)
    } catch {
      return ''
    }
  }
  try {
    return readdirSync(`/proc/${pid}/fd`).map(link)
  } catch {
    return []
  }
}

async function unixHolder(port: number): Promise<Holder | undefined> {
  const { stdout } = await run('lsof', ['-nP', `-iTCP:${port}`, '-sTCP:LISTEN', '-Fpc'])
  const pid = /^p(\d+)$/m.exec(stdout)?.[1]
  return pid ? { pid: Number(pid), name: /^c(.+)$/m.exec(stdout)?.[1] ?? 'a program' } : undefined
}

async function windowsHolder(port: number): Promise<Holder | undefined> {
  const { stdout } = await run('netstat', ['-ano', '-p', 'TCP'])
  const pid = stdout
    .split('\n')
    .flatMap(
      (line) => new RegExp(`:${port}\\s+\\S+\\s+LISTENING\\s+(\\d+)`).exec(line)?.[1] ?? [],
    )[0]
  if (!pid) return undefined
  const tasks = await run('tasklist', ['/fi', `PID eq ${pid}`, '/fo', 'csv', '/nh'])
  return { pid: Number(pid), name: /^"([^"]+)"/m.exec(tasks.stdout)?.[1] ?? 'a program' }
}
