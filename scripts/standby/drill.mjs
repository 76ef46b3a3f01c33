// node scripts/standby/drill.mjs --from REMOTE:PATH --into DIR [--backup NAME] [--without-images]
// [--http 127.0.0.1:18042] [--keep] [--isthmus PATH] [--rclone PATH] < FILE_WITH_THE_RECOVERY_KEY A
// takeover as it would be, on another host or in another folder: fetches what the standby has, puts
// the database back with the recovery key, compares it with what the backup says of itself, starts
// a gateway on it in safe mode, which serves no device and sends nothing, and says how long each
// step took. With --keep the folder stays and is ready to be served. docs/STANDBY.md
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { parseArgs } from 'node:util'
import Sqlite from 'better-sqlite3'
import { BACKUP, below, isthmusWords, madeAt, main, run, timed } from './programs.mjs'

const { values } = parseArgs({
  options: {
    from: { type: 'string' },
    into: { type: 'string' },
    /** Another one than the newest. */
    backup: { type: 'string' },
    'without-images': { type: 'boolean', default: false },
    http: { type: 'string', default: '127.0.0.1:18042' },
    keep: { type: 'boolean', default: false },
    isthmus: { type: 'string' },
    rclone: { type: 'string', default: 'rclone' },
  },
})

await main(async () => {
  const { from, into } = values
  if (!from || !into)
    throw new Error('Say --from REMOTE:PATH, where the copy is, and --into DIR, an empty folder.')
  if (existsSync(into) && readdirSync(into).length > 0)
    throw new Error(`${into} is not empty: name another folder.`)
  const isthmus = isthmusWords(values.isthmus)
  const rclone = [values.rclone]
  if (process.stdin.isTTY)
    process.stderr.write('Type the recovery key, then Enter and Ctrl+D (Windows: Ctrl+Z, Enter).\n')
  const recoveryKey = await text(process.stdin)
  const data = join(into, 'data')
  const name = values.backup ?? (await newestOf(rclone, below(from, 'backups')))
  const backup = join(into, 'backups', name)
  try {
    const steps = [
      ['fetched the backup', () => run(rclone, ['copy', below(from, `backups/${name}`), backup])],
      [
        'put the database back',
        () =>
          run(
            isthmus,
            ['restore', '--data', data, '--from', backup, '--recovery-key-stdin', '--yes'],
            { input: recoveryKey },
          ),
      ],
      ...(values['without-images']
        ? []
        : [
            [
              'fetched the images',
              () => run(rclone, ['copy', below(from, 'images'), join(data, 'images')]),
            ],
          ]),
      ['compared', () => compare(data, backup)],
      ['started in safe mode', () => start(isthmus, data)],
    ]
    let whole = 0
    for (const [step, work] of steps) {
      const { result, seconds } = await timed(async () => work())
      whole += seconds
      const said = typeof result === 'object' ? `: ${result.sentence}` : ''
      process.stdout.write(`${seconds.toFixed(1).padStart(8)} s  ${step}${said}\n`)
    }
    process.stdout.write(
      `${whole.toFixed(1).padStart(8)} s  in all, with everything up to ${new Date(madeAt(name)).toISOString()}\n`,
    )
    if (values.keep) process.stdout.write(`Ready to take over: isthmus serve --data ${data}\n`)
  } finally {
    if (!values.keep) rmSync(into, { recursive: true, force: true })
  }
})

async function newestOf(rclone, remote) {
  const names = (await run(rclone, ['lsf', '--dirs-only', remote]))
    .split('\n')
    .map((line) => line.replace(/\/$/, ''))
  const newest = names
    .filter((each) => BACKUP.test(each))
    .sort()
    .at(-1)
  if (!newest) throw new Error(`No backup is at ${remote}.`)
  return newest
}

/**
 * Rows against what the backup says of itself, and a file for each image that the database has.
 */
function compare(data, backup) {
  const { rows } = JSON.parse(readFileSync(join(backup, 'backup.json'), 'utf8'))
  const sqlite = new Sqlite(join(data, 'gateway.sqlite'), { readonly: true, fileMustExist: true })
  try {
    const faults = Object.entries(rows)
      .map(([table, told]) => ({
        table,
        told,
        found: sqlite.prepare(`select count(*) from "${table}"`).pluck().get(),
      }))
      // That it was put back is an entry of the trail more.
      .filter(({ table, told, found }) =>
        table === 'auditEntries' ? found < told : found !== told,
      )
    if (faults.length > 0)
      throw new Error(
        faults
          .map(({ table, told, found }) => `${table}: ${found} rows, ${told} in the backup`)
          .join('; '),
      )
    let images = 0
    let missing = 0
    for (const { file, bytes } of sqlite.prepare('select file, bytes from instances').iterate()) {
      images += 1
      if (statSync(join(data, 'images', file), { throwIfNoEntry: false })?.size !== bytes)
        missing += 1
    }
    const all = Object.values(rows).reduce((sum, count) => sum + count, 0)
    if (missing > 0 && !values['without-images'])
      throw new Error(`${missing} of ${images} images are missing or not whole.`)
    return { sentence: `${all} rows as in the backup, ${images - missing} of ${images} images` }
  } finally {
    sqlite.close()
  }
}

/**
 * Up, answering, and ended again. Safe mode: a second gateway of the same clinic must neither serve
 * devices nor send what the first has sent.
 */
async function start([command, ...first], data) {
  const words = [
    'serve',
    '--data',
    data,
    '--safe-mode',
    '--http',
    values.http,
    '--dimse',
    '127.0.0.1:0',
    '--dimse-tls',
    'off',
  ]
  const child = spawn(command, [...first, ...words], { stdio: ['ignore', 'pipe', 'pipe'] })
  const closed = once(child, 'close')
  let said = ''
  child.stderr.on('data', (chunk) => (said = `${said}${chunk}`.slice(-2000)))
  try {
    const ready = await Promise.race([
      once(createInterface({ input: child.stdout }), 'line'),
      closed.then(() => undefined),
    ])
    if (!ready) throw new Error(`The gateway did not start: ${said.trim().split('\n').at(-1)}`)
    const { http } = JSON.parse(ready[0])
    const answer = await fetch(`${http}/healthz`)
    if (answer.status !== 200) throw new Error(`The gateway started, but answers ${answer.status}.`)
    return { sentence: `it answers at ${http}` }
  } finally {
    child.kill('SIGTERM')
    await closed
  }
}
