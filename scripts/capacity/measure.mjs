// What storing an instance costs a real gateway process: CPU time, bytes on the disk and in the
// database. The images come from DCMTK's storescu and go on to DCMTK's storescp.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { root } from '../setup.mjs'
import { metricsOf, openSoaked } from '../soak/gateway.mjs'
import { writeStudy } from './instances.mjs'

/** Of Linux, for the fields of `/proc/PID/stat`. */
const TICKS_PER_SECOND = 100

const HEADLESS = join(root, 'dist', 'electron', 'headless.js')

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  return port
}

/** CPU time of all threads of the process so far, in milliseconds. */
function cpuMs(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1].split(' ')
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS_PER_SECOND
}

const sizeOf = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((total, entry) => total + statSync(join(entry.parentPath, entry.name)).size, 0)

const databaseBytes = (folder) =>
  ['gateway.sqlite', 'gateway.sqlite-wal']
    .map((name) => statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0)
    .reduce((total, size) => total + size, 0)

/** A gateway to measure. `close` ends it and what was made for it. */
export async function openMeasured() {
  const work = mkdtempSync(join(tmpdir(), 'isthmus-capacity-'))
  const gateway = await openSoaked(HEADLESS)
  let studies = 0
  let archive
  const send = async (modality, count) => {
    const folder = join(work, String(studies++))
    const bytes = writeStudy(folder, modality, count)
    const { host, port, aeTitle } = gateway.peer
    const child = spawn(
      'storescu',
      ['-aet', 'SOAK0', '-aec', aeTitle, '--scan-directories', host, String(port), folder],
      { stdio: ['ignore', 'ignore', 'inherit'] },
    )
    const [code] = await once(child, 'exit')
    if (code !== 0) throw new Error(`storescu ended with ${code}`)
    rmSync(folder, { recursive: true })
    return bytes
  }
  return {
    send,
    /** Waits until the exams are complete and nothing is under way, then returns the totals. */
    async totals() {
      await wait(4000)
      for (let before = -1; ; await wait(1000)) {
        const now = cpuMs(gateway.pid)
        if (now - before < 60) break
        before = now
      }
      const metrics = await metricsOf(gateway)
      return {
        cpuMs: cpuMs(gateway.pid),
        imageBytes: sizeOf(join(gateway.folder, 'images')),
        databaseBytes: databaseBytes(gateway.folder),
        received: Object.entries(metrics)
          .filter(([name]) => name.startsWith('isthmus_c_store_bytes_total'))
          .reduce((total, [, value]) => total + value, 0),
      }
    },
    /** From now on every image goes on to an archive that accepts and discards it. */
    async forwardAll() {
      const port = await freePort()
      archive = spawn('storescp', ['--ignore', '-aet', 'ARCHIVE', String(port)], {
        stdio: 'ignore',
      })
      const { host } = gateway.peer
      const { status, stderr } = spawnSync(
        process.execPath,
        [
          ...[HEADLESS, 'destination', 'add', '--data', gateway.folder, '--name', 'Archive'],
          ...['--ae-title', 'ARCHIVE', '--host', host, '--port', String(port), '--automatic'],
        ],
        { encoding: 'utf8' },
      )
      if (status !== 0) throw new Error(stderr)
    },
    async close() {
      archive?.kill()
      await gateway.end()
      rmSync(work, { recursive: true, force: true })
    },
  }
}

export const difference = (after, before) =>
  Object.fromEntries(Object.entries(after).map(([name, value]) => [name, value - before[name]]))
