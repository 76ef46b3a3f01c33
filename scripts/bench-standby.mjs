// npm run bench -- standby [--studies 1000000 --instances 20000000 --seconds 40 --folder F
// --keep-archive --over sftp]: a gateway with an archive of generated rows receives images from
// DCMTK's storescu while its log goes to a standby by rclone; then the gateway and its script are
// killed, the standby takes over by one command, and DCMTK's getscu reads back every image that
// was acknowledged. Prints the recovery point and the recovery time in seconds, and as the last line
// all figures as JSON. An archive of the standard size takes about 15 GB five times. Figures:
// docs/BENCHMARKS.md, docs/STANDBY.md.
import { execFile, execFileSync, spawn } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs, promisify } from 'node:util'
import Sqlite from 'better-sqlite3'
import { openContext } from '../electron/server/context.ts'
import {
  keepRecoveryKey,
  newRecoveryKey,
  wrapDataKey,
} from '../electron/server/database/recovery-key.ts'
import { storeRecoveryProof } from '../electron/server/modules/backups/recovery-key-setup.ts'
import { addDevice } from '../electron/server/modules/devices/devices.ts'
import { DEVICE } from '../test/support/device.ts'
import { fillArchive } from './bench-query/archive.mjs'
import { root, stop } from './setup.mjs'

const { values } = parseArgs({
  options: {
    studies: { type: 'string', default: '1000000' },
    instances: { type: 'string', default: '20000000' },
    /** How long images are sent before the gateway is killed. */
    seconds: { type: 'string', default: '40' },
    /** A data folder of an earlier run is taken, or kept there. */
    folder: { type: 'string' },
    /** How the standby is reached: a server of rclone on this PC, or a folder. */
    over: { type: 'string', default: 'sftp' },
  },
})
const SAMPLE = '/usr/lib/python3/dist-packages/pydicom/data/test_files/CT_small.dcm'
const SAMPLE_UID = '1.3.6.1.4.1.5962.1.1.1.1.1.20040119072730.12322'
const SAMPLE_STUDY = '1.3.6.1.4.1.5962.1.2.1.20040119072730.12322'
const PASSWORD = 'bench'
const PROGRAM = join(root, 'dist', 'electron', 'headless.js')
const scripts = join(root, 'scripts', 'standby')
const call = promisify(execFile)
const seconds = (since, until = performance.now()) => Math.round((until - since) / 100) / 10
const say = (line) => console.log(line)

for (const [tool, word] of [
  ['rclone', 'version'],
  ['storescu', '--version'],
  ['getscu', '--version'],
])
  try {
    execFileSync(tool, [word], { stdio: 'ignore' })
  } catch {
    stop(`${tool} is not installed.`)
  }
if (!existsSync(SAMPLE)) stop(`${SAMPLE} is not there: install python3-pydicom.`)

const cache = join(root, 'node_modules', '.cache')
mkdirSync(cache, { recursive: true })
const work = mkdtempSync(join(values.folder ?? cache, 'bench-standby-'))
const main =
  values.folder && existsSync(join(values.folder, 'archive'))
    ? join(values.folder, 'archive')
    : join(work, 'main')
const [backups, there, samples, got] = ['backups', 'there', 'samples', 'got'].map((name) =>
  join(work, name),
)
const standby = join(there, 'data')
const children = new Set()
// Ended from outside, it leaves none of them behind.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))
process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL')
})
const env = { ...process.env, RCLONE_CONFIG: join(work, 'none.conf'), TCP_NODELAY: '1' }
const figures = { studies: Number(values.studies), instances: Number(values.instances) }
try {
  for (const folder of [backups, there, samples, got]) mkdirSync(folder, { recursive: true })
  const recoveryKey = prepare()
  const remote = await serveRemote()
  await drill(recoveryKey, remote)
} finally {
  for (const child of children) child.kill('SIGKILL')
  rmSync(work, { recursive: true, force: true })
}
say(JSON.stringify(figures))

function prepare() {
  const { studies, instances } = figures
  mkdirSync(main, { recursive: true })
  if (!existsSync(join(main, 'gateway.sqlite')))
    fillArchive(main, { studies, instances, say: (line) => console.error(line) })
  // The gateway checks it when it starts.
  using context = openContext({ folder: main, isChecked: true })
  const recoveryKey = newRecoveryKey()
  storeRecoveryProof(context)
  keepRecoveryKey(main, wrapDataKey(context.database.seal, recoveryKey, Date.now()))
  const settings = { 'intake.stopGigabytes': 0, 'intake.warnGigabytes': 0 }
  context.settings.change(
    { ...settings, 'backup.folder': backups, 'backup.isContinuous': true },
    'command-line',
  )
  if (
    context.database.all(context.database.sql.selectFrom('devices').select('deviceId')).length === 0
  )
    addDevice(context, { ...DEVICE, aeTitle: 'CT1', retrieval: 'retrieve' }, 'command-line')
  return recoveryKey
}

/** What rclone calls the standby, with what tells it how to reach it. */
async function serveRemote() {
  if (values.over !== 'sftp') return join(there)
  const port = await freePort()
  const words = [
    'serve',
    'sftp',
    there,
    '--addr',
    `127.0.0.1:${port}`,
    '--user',
    'bench',
    '--pass',
    PASSWORD,
  ]
  start('rclone', [...words, '--dir-cache-time', '0s'], 'ignore')
  const pass = execFileSync('rclone', ['obscure', PASSWORD], { encoding: 'utf8' }).trim()
  const remote = { TYPE: 'sftp', HOST: '127.0.0.1', PORT: String(port), USER: 'bench', PASS: pass }
  for (const [key, value] of Object.entries(remote)) env[`RCLONE_CONFIG_STANDBY_${key}`] = value
  await until(() =>
    call('rclone', ['lsf', 'standby:'], { env }).then(
      () => true,
      () => false,
    ),
  )
  return 'standby:'
}

async function drill(recoveryKey, remote) {
  const began = performance.now()
  const gateway = await serve(main)
  figures.startSeconds = seconds(began)
  say(
    `${figures.startSeconds} s  the gateway started; ${gigabytes(join(main, 'gateway.sqlite'))} GB`,
  )
  figures.databaseGigabytes = gigabytes(join(main, 'gateway.sqlite'))

  const shipping = performance.now()
  const follow = start(process.execPath, [
    join(scripts, 'follow.mjs'),
    '--data',
    main,
    '--to',
    remote,
    '--called',
    'bench',
  ])
  const backup = await until(() => backupIn(backups))
  figures.backupSeconds = seconds(shipping)
  say(`${figures.backupSeconds} s  the gateway made the backup that the log continues`)
  await until(() => existsSync(join(there, 'backups', backup, 'backup.json')))
  figures.copySeconds = seconds(shipping) - figures.backupSeconds
  say(`${figures.copySeconds.toFixed(1)} s  the backup was copied to the standby`)
  const opening = performance.now()
  const replica = start(
    process.execPath,
    [PROGRAM, 'replicate', '--data', standby, '--from', there, '--recovery-key-stdin'],
    ['pipe', 'pipe', 'inherit'],
  )
  replica.stdin.end(recoveryKey)
  await line(replica)
  figures.openSeconds = seconds(opening)
  say(`${figures.openSeconds} s  the standby opened it, and follows from here on`)

  const sent = await sendImages(gateway.port, Number(values.seconds))
  const lostAt = performance.now()
  for (const child of [gateway.child, follow]) child.kill('SIGKILL')
  await allClosed([gateway.child, follow])
  say(`${sent.length} images were acknowledged; the gateway and its script were killed`)

  const { stdout } = await call(process.execPath, [
    PROGRAM,
    'take-over',
    '--data',
    standby,
    '--from',
    there,
  ])
  const ready = seconds(lostAt)
  const taken = await serve(standby)
  const present = await readBack(taken.port)
  figures.recoverySeconds = seconds(lostAt)
  figures.takeOverSeconds = ready
  say(stdout.trim().replace(/^/gm, '         | '))
  say(
    `${figures.recoverySeconds} s  recovery time: until getscu had every image, ${ready} s of it for take-over`,
  )
  judge(sent, present, lostAt, /Everything up to (\S+)/.exec(stdout)?.[1])
  await end(taken.child)
  if (replica.exitCode === null) await end(replica)
  const checking = performance.now()
  const sqlite = new Sqlite(join(standby, 'gateway.sqlite'), { readonly: true })
  figures.integrity = sqlite.pragma('integrity_check(1)', { simple: true })
  sqlite.close()
  say(`${seconds(checking)} s  integrity_check: ${figures.integrity}`)
}

/** Images that were acknowledged, by storescu one after the other, and when. */
async function sendImages(port, duration) {
  const bytes = readFileSync(SAMPLE).toString('latin1')
  const sent = []
  const end = performance.now() + duration * 1000
  for (let at = 0; performance.now() < end; at++) {
    const uid = SAMPLE_UID.replace(/\d{5}$/, String(20_000 + at))
    const file = join(samples, `${at}.dcm`)
    writeFileSync(file, Buffer.from(bytes.replaceAll(SAMPLE_UID, uid), 'latin1'))
    await call('storescu', ['-aet', 'CT1', '-aec', 'ISTHMUS', '127.0.0.1', String(port), file], {
      env,
    })
    sent.push({ uid, at: performance.now(), time: Date.now() })
    rmSync(file)
    await wait(100)
  }
  return sent
}

async function readBack(port) {
  const keys = ['-k', 'QueryRetrieveLevel=STUDY', '-k', `StudyInstanceUID=${SAMPLE_STUDY}`]
  await call(
    'getscu',
    ['-S', '-aet', 'CT1', '-aec', 'ISTHMUS', '+B', '-od', got, ...keys, '127.0.0.1', String(port)],
    { env, maxBuffer: 1 << 28 },
  )
  const uids = new Set()
  for (const name of readdirSync(got)) {
    const text = readFileSync(join(got, name)).toString('latin1')
    const uid = new RegExp(`${SAMPLE_UID.slice(0, -5)}\\d{5}`).exec(text)?.[0]
    if (uid) uids.add(uid)
  }
  return uids
}

/** The recovery point, and whether all is there that take-over said is there. */
function judge(sent, present, lostAt, upTo) {
  const lost = sent.filter(({ uid }) => !present.has(uid))
  const oldest = lost[0]
  figures.sent = sent.length
  figures.lost = lost.length
  figures.recoveryPointSeconds = oldest ? seconds(oldest.at, lostAt) : 0
  figures.brokenPromises = lost.filter(({ time }) => time < Date.parse(upTo ?? '')).length
  say(
    `${figures.recoveryPointSeconds} s  recovery point: ${lost.length} of ${sent.length} acknowledged images were not on the standby yet`,
  )
  if (figures.brokenPromises > 0) stop(`${figures.brokenPromises} of them should have been there.`)
  if (present.size !== sent.length - lost.length) stop(`${present.size} images were read back.`)
}

function start(command, words, stdio = ['ignore', 'pipe', 'inherit']) {
  const child = spawn(command, words, { stdio, env })
  children.add(child)
  child.once('close', () => children.delete(child))
  return child
}

async function serve(folder) {
  const child = start(process.execPath, [
    PROGRAM,
    'serve',
    '--data',
    folder,
    '--http',
    '127.0.0.1:0',
    '--dimse',
    '127.0.0.1:0',
    '--dimse-tls',
    'off',
    '--log-level',
    'error',
  ])
  const ready = JSON.parse(await line(child))
  return { child, port: String(ready.dimse).split(':').at(-1) }
}

function line(child) {
  const { promise, resolve, reject } = Promise.withResolvers()
  createInterface({ input: child.stdout }).once('line', resolve)
  child.once('close', (code) => reject(new Error(`${child.spawnargs[2]} ended with ${code}`)))
  return promise
}

function allClosed(all) {
  return Promise.all(
    all.map(
      (child) =>
        child.exitCode ?? child.signalCode ?? new Promise((done) => child.once('close', done)),
    ),
  )
}

async function end(child) {
  child.kill('SIGTERM')
  await allClosed([child])
}

async function until(check) {
  for (;;) {
    const found = await check()
    if (found) return found
    await wait(200)
  }
}

function backupIn(folder) {
  return readdirSync(folder).find(
    (name) =>
      /^isthmus-\d/.test(name) &&
      !name.endsWith('.part') &&
      existsSync(join(folder, name, 'backup.json')),
  )
}

function gigabytes(file) {
  return Math.round(statSync(file).size / 1e7) / 100
}

function freePort() {
  const { promise, resolve } = Promise.withResolvers()
  const server = createServer().listen(0, '127.0.0.1', () => {
    const { port } = server.address()
    server.close(() => resolve(port))
  })
  return promise
}
