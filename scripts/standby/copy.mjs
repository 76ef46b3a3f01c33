// node scripts/standby/copy.mjs --data DIR --to REMOTE:PATH [--called TEXT] [--since 2h]
// [--keep-hours 48] [--download] [--isthmus PATH] [--rclone PATH] Copies the images and the
// backups of a gateway to another disk, host or store by rclone, sees that they arrived, and tells
// the gateway, whose window shows what the standby has. Nothing is ever taken away from the images
// there. docs/STANDBY.md
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { BACKUP, below, isthmusWords, madeAt, main, placeOf, run, timed } from './programs.mjs'

const { values } = parseArgs({
  options: {
    data: { type: 'string' },
    to: { type: 'string' },
    /** How the window calls the place; without it what stands before the colon of --to. */
    called: { type: 'string' },
    /**
     * Only images received in so long, for a run every few minutes; without it all are compared,
     * for a run each night.
     */
    since: { type: 'string' },
    /** Backups that the gateway keeps no longer stay there for so long. */
    'keep-hours': { type: 'string', default: '48' },
    /** Compares by reading everything back, for a store that has no checksums (WebDAV). */
    download: { type: 'boolean', default: false },
    isthmus: { type: 'string' },
    rclone: { type: 'string', default: 'rclone' },
  },
})

await main(async () => {
  const { data, to, since, download } = values
  const keepHours = Number(values['keep-hours'])
  if (!data || !to)
    throw new Error(
      'Say --data DIR, the data folder of the gateway, and --to REMOTE:PATH, where the copy goes.',
    )
  if (!(keepHours >= 0)) throw new Error('--keep-hours takes a number of hours.')
  const isthmus = isthmusWords(values.isthmus)
  const rclone = [values.rclone]
  const folder = JSON.parse(await run(isthmus, ['config', 'get', 'backup.folder', '--data', data]))
  if (folder === null)
    throw new Error('The gateway has no folder for backups: choose one in its window first.')
  const local = backupsIn(folder)
  const newest = local.at(-1)
  if (!newest) throw new Error(`There is no backup in ${folder} yet.`)

  // The images first: what the database of the backup speaks of is then there before the backup
  // is.
  const images = join(data, 'images')
  const recent = since ? ['--max-age', since, '--no-traverse'] : []
  const ofImages = ['--exclude', '/.*', ...(since ? ['--max-age', since] : [])]
  const ofBackups = ['--include', '/isthmus-????-??-??-??????Z/**']
  const checking = ['--one-way', ...(download ? ['--download'] : [])]
  const copied = await timed(async () => {
    if (existsSync(images))
      await run(rclone, ['copy', images, below(to, 'images'), '--exclude', '/.*', ...recent])
    await run(rclone, ['copy', folder, below(to, 'backups'), ...ofBackups])
  })
  const checked = await timed(async () => {
    if (existsSync(images))
      await run(rclone, ['check', images, below(to, 'images'), ...checking, ...ofImages])
    await run(rclone, ['check', join(folder, newest), below(to, `backups/${newest}`), ...checking])
  })
  const sentence = await run(isthmus, [
    'standby',
    'note',
    '--data',
    data,
    '--to',
    values.called ?? placeOf(to),
    '--backup',
    newest,
  ])
  const removed = await thinOut(rclone, below(to, 'backups'), { local, keepHours })
  process.stdout.write(sentence)
  process.stdout.write(
    `Copied in ${copied.seconds} s, compared in ${checked.seconds} s; ${removed} older backups were removed there.\n`,
  )
})

function backupsIn(folder) {
  return readdirSync(folder)
    .filter((name) => BACKUP.test(name) && existsSync(join(folder, name, 'backup.json')))
    .sort()
}

/**
 * What the gateway keeps no longer goes there too, but later: whoever empties the folder here must
 * not have emptied it there.
 */
async function thinOut(rclone, remote, { local, keepHours }) {
  const there = (await run(rclone, ['lsf', '--dirs-only', remote]))
    .split('\n')
    .map((line) => line.replace(/\/$/, ''))
  const latest = Date.now() - keepHours * 3_600_000
  const old = there.filter(
    (name) => BACKUP.test(name) && !local.includes(name) && madeAt(name) < latest,
  )
  // The newest stays, whatever is here.
  const newest = there
    .filter((name) => BACKUP.test(name))
    .sort()
    .at(-1)
  for (const name of old.filter((each) => each !== newest))
    await run(rclone, ['purge', `${remote}/${name}`])
  return old.filter((each) => each !== newest).length
}
