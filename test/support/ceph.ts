import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { freePort } from './free-port.ts'
import { httpCall } from './http-call.ts'
import { tempFolder } from './temp-store.ts'

/** A Ceph cluster of one monitor, one OSD in memory and one RADOS Gateway on 127.0.0.1. */
export interface CephGateway {
  readonly http: string
  readonly https: string
  /** PEM of its self-signed certificate. */
  readonly certificate: string
  readonly accessKeyId: string
  readonly secret: string
}

const START_MS = 90_000

/** Starts Ceph from the packages of the distribution; it ends with the test. */
export async function startCeph(): Promise<CephGateway> {
  const temporary = tempFolder()
  const { folder } = temporary
  const running: ChildProcess[] = []
  onTestFinished(async () => {
    for (const child of running.toReversed()) {
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    }
    temporary[Symbol.dispose]()
  })
  const [monitor, http, https] = [await freePort(), await freePort(), await freePort()]
  const fsid = randomUUID()
  const { cert, key } = selfSigned(folder)
  for (const name of ['mon', 'osd', 'run']) mkdirSync(join(folder, name))
  const file = join(folder, 'ceph.conf')
  writeFileSync(file, configuration({ folder, fsid, monitor, http, https, cert, key }))
  const run = (command: string, ...args: string[]) => checked(command, ['-c', file, ...args])
  const start = (command: string, ...args: string[]) =>
    void running.push(spawn(command, ['-c', file, '-f', ...args], { stdio: 'ignore' }))

  const map = join(folder, 'monmap')
  const address = `[v1:127.0.0.1:${monitor}]`
  checked('monmaptool', ['--create', '--fsid', fsid, '--addv', 'a', address, map])
  run('ceph-mon', '--mkfs', '-i', 'a', '--monmap', map)
  start('ceph-mon', '-i', 'a')
  const osd = randomUUID()
  run('ceph', '--connect-timeout', '30', 'osd', 'new', osd)
  run('ceph-osd', '-i', '0', '--mkfs', '--osd-uuid', osd)
  start('ceph-osd', '-i', '0')
  start('radosgw', '-n', 'client.rgw.a')
  const [accessKeyId, secret] = ['TEST-ACCESS-KEY', 'test-secret-key']
  const url = `http://127.0.0.1:${http}`
  for (const until = Date.now() + START_MS; ; await sleep(500)) {
    const answer = await httpCall(url).catch(() => undefined)
    if (answer?.status === 200) break
    if (Date.now() > until) throw new Error('the RADOS Gateway does not answer')
  }
  const user = ['--uid', 'isthmus', '--display-name', 'Isthmus']
  run('radosgw-admin', 'user', 'create', ...user, '--access-key', accessKeyId, '--secret', secret)
  const certificate = readFileSync(cert, 'utf8')
  return { http: url, https: `https://127.0.0.1:${https}`, certificate, accessKeyId, secret }
}

function checked(command: string, args: readonly string[]): void {
  const { status, stderr, error } = spawnSync(command, args, { timeout: START_MS })
  if (status !== 0) throw new Error(`${command}: ${error?.message ?? ''} ${stderr}`)
}

function selfSigned(folder: string) {
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
  const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1']
  const files = ['-keyout', key, '-out', cert]
  checked('openssl', [
    ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '30'],
    ...[...subject, ...files],
  ])
  return { cert, key }
}

const configuration = (of: {
  readonly folder: string
  readonly fsid: string
  readonly monitor: number
  readonly http: number
  readonly https: number
  readonly cert: string
  readonly key: string
}) => `[global]
fsid = ${of.fsid}
mon initial members = a
mon host = v1:127.0.0.1:${of.monitor}
public addr = 127.0.0.1
ms bind msgr2 = false
ms bind ipv6 = false
auth cluster required = none
auth service required = none
auth client required = none
osd pool default size = 1
osd pool default min size = 1
mon allow pool size one = true
osd pool default pg num = 8
osd pool default pgp num = 8
osd crush chooseleaf type = 0
osd objectstore = memstore
memstore device bytes = 1073741824
mon data avail crit = 1
mon data avail warn = 2
mon data = ${of.folder}/mon
osd data = ${of.folder}/osd
run dir = ${of.folder}/run
admin socket = ${of.folder}/run/$name.asok
log file = ${of.folder}/run/$name.log
rgw frontends = beast endpoint=127.0.0.1:${of.http} ssl_endpoint=127.0.0.1:${of.https} ssl_certificate=${of.cert} ssl_private_key=${of.key}
rgw crypt require ssl = true
`
