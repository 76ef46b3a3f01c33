import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

// Below the ports that Linux (from 32768), macOS and Windows (from 49152) hand out themselves: a
// server that listens on port 0 takes none of these.
const FIRST = 12_000
const LAST = 32_000

// A file for each port, with the pid of the process that claimed it. A claim ends with its process.
const CLAIMS = join(tmpdir(), 'isthmus-test-ports')

/**
 * A TCP port of 127.0.0.1 that nothing listens on, and that no other test is given while this
 * process runs.
 */
export async function freePort(): Promise<number> {
  mkdirSync(CLAIMS, { recursive: true })
  const start = Math.floor(Math.random() * (LAST - FIRST))
  for (let tried = 0; tried < LAST - FIRST; tried++) {
    const port = FIRST + ((start + tried) % (LAST - FIRST))
    if (isClaimed(port) && (await isUnused(port))) return port
  }
  throw new Error(`No port from ${FIRST} to ${LAST} is free.`)
}

/** Whether this process could claim `port`: no other process that still runs has. */
function isClaimed(port: number): boolean {
  const claim = join(CLAIMS, String(port))
  try {
    writeFileSync(claim, String(process.pid), { flag: 'wx' })
  } catch {
    if (isRunning(Number(readFileSync(claim, 'utf8')))) return false
    writeFileSync(claim, String(process.pid))
  }
  return true
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

function isUnused(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
