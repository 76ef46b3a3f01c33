// node scripts/standby/follow.mjs --data DIR --to REMOTE:PATH [--called TEXT] [--every 5] [--check]
// [--keep-hours 48] [--isthmus PATH] [--rclone PATH] Runs beside a gateway whose setting
// backup.isContinuous is on, and carries what it writes to the standby by rclone, every few
// seconds: first the images that the new part of the log names, then the log, then up to where it
// goes. A new backup is carried meanwhile. If a standby took over, it stops the gateway and ends with 3;
// with --check it does nothing else. docs/STANDBY.md
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { BACKUP, below, isthmusWords, main, placeOf, run } from './programs.mjs'

const { values } = parseArgs({
  options: {
    data: { type: 'string' },
    to: { type: 'string' },
    called: { type: 'string' },
    every: { type: 'string', default: '5' },
    check: { type: 'boolean', default: false },
    'keep-hours': { type: 'string', default: '48' },
    isthmus: { type: 'string' },
    rclone: { type: 'string', default: 'rclone' },
  },
})

const NOTE_MS = 60_000
const THIN_OUT_MS = 3_600_000
const LOG = 'isthmus-log'
const POSITION = 'position.json'
/** Exit code if a standby took over. */
const TAKEN_OVER = 3
/** Of rclone, where a file or a folder is not there. */
const NOT_FOUND = /ended with [34]:/

await main(async () => {
  const { data, to } = values
  const every = Number(values.every)
  const keepHours = Number(values['keep-hours'])
  if (!data || !to)
    throw new Error(
      'Say --data DIR, the data folder of the gateway, and --to REMOTE:PATH, where the copy goes.',
    )
  if (!(every >= 1 && keepHours >= 0)) throw new Error('--every and --keep-hours take a number.')
  const isthmus = isthmusWords(values.isthmus)
  const rclone = [values.rclone]
  const away = { rclone, images: below(to, 'images'), backups: below(to, 'backups') }
  if (values.check) {
    await stopIfTakenOver(rclone, to, { isthmus, data })
    return
  }
  const folder = JSON.parse(await run(isthmus, ['config', 'get', 'backup.folder', '--data', data]))
  if (folder === null)
    throw new Error('The gateway has no folder for backups: choose one in its window first.')
  const here = { folder, log: join(folder, LOG), images: join(data, 'images') }
  const state = {
    sent: undefined,
    chain: '',
    notedAt: 0,
    thinnedAt: 0,
    backup: undefined,
    fault: '',
  }
  for (;;) {
    try {
      if (await stopIfTakenOver(rclone, to, { isthmus, data })) return
      await send(here, away, state)
      await note(state, { isthmus, data, to })
      await thinOut(here, away, state, keepHours)
      if (state.fault) process.stderr.write('The standby is reached again.\n')
      state.fault = ''
    } catch (error) {
      // Said once, not every few seconds; the gateway warns that the standby is behind.
      if (error.message !== state.fault) process.stderr.write(`${error.message}\n`)
      state.fault = error.message
    }
    await wait(every * 1000)
  }
})

/** Whether a standby took over. Where it cannot be asked, the gateway goes on. */
async function stopIfTakenOver(rclone, to, { isthmus, data }) {
  const text = await run(rclone, ['cat', below(to, 'taken-over.json')]).catch((error) => {
    if (values.check && !NOT_FOUND.test(error.message))
      process.stderr.write(`It is not known whether a standby took over: ${error.message}\n`)
    else if (!NOT_FOUND.test(error.message)) throw error
    return ''
  })
  if (text.trim() === '') return false
  const { by, at } = JSON.parse(text)
  process.exitCode = TAKEN_OVER
  const sentence = await run(isthmus, [
    'standby',
    'taken-over',
    '--data',
    data,
    '--by',
    by,
    '--at',
    at,
  ])
  process.stderr.write(sentence)
  return true
}

/** What is new since the round before; the images before what names them. */
async function send(here, away, state) {
  const text = readIfThere(join(here.log, POSITION))
  if (text === undefined) throw new Error(`${here.log} is empty: switch “Continuous copy” on.`)
  const position = JSON.parse(text)
  sendBackup(here, away, state)
  const chain = join(here.log, position.chain)
  const awayChain = below(away.backups, `${LOG}/${position.chain}`)
  const isFirst = state.chain !== position.chain
  if (isFirst) {
    // A list is sent after its images, so that these are there if it is.
    state.sent = new Set(await filesOf(away.rclone, awayChain))
  }
  const files = readdirSync(chain)
    .filter((name) => !name.endsWith('.part') && !state.sent.has(name))
    .sort()
  const lists = files.filter((name) => name.endsWith('.images'))
  const images = lists
    .flatMap((name) => readFileSync(join(chain, name), 'utf8').split('\n'))
    // A quarantined image may have been deleted meanwhile.
    .filter((file) => file !== '' && existsSync(join(here.images, file)))
  await copyNamed(away.rclone, here.images, away.images, images)
  // At first all are compared, because an earlier run may have been ended within a file.
  if (isFirst) await run(away.rclone, ['copy', chain, awayChain, '--exclude', '*.part'])
  else await copyNamed(away.rclone, chain, awayChain, files)
  for (const name of files) state.sent.add(name)
  state.chain = position.chain
  await copyText(away.rclone, below(away.backups, `${LOG}/${POSITION}`), text)
  state.upTo = position.at
}

/** Not awaited: the log goes on while a large backup is carried. Its manifest goes last. */
function sendBackup(here, away, state) {
  if (state.backup?.isRunning) return
  const newest = readdirSync(here.folder)
    .filter((name) => BACKUP.test(name) && existsSync(join(here.folder, name, 'backup.json')))
    .sort()
    .at(-1)
  if (!newest || state.backup?.name === newest) return
  const work = { name: newest, isRunning: true, isThere: false }
  state.backup = work
  const copy = async () => {
    const from = join(here.folder, newest)
    const to = below(away.backups, newest)
    await run(away.rclone, ['copy', from, to, '--exclude', 'backup.json'])
    await run(away.rclone, ['copy', from, to, '--include', 'backup.json'])
    state.there = newest
  }
  copy()
    .catch((error) => {
      process.stderr.write(`${error.message}\n`)
      state.backup = undefined
    })
    .finally(() => (work.isRunning = false))
}

/** Tells the gateway once a minute what the standby has. */
async function note(state, { isthmus, data, to }) {
  if (!state.there || Date.now() - state.notedAt < NOTE_MS) return
  const place = values.called ?? placeOf(to)
  const words = ['--to', place, '--backup', state.there, '--up-to', state.upTo]
  await run(isthmus, ['standby', 'note', '--data', data, ...words])
  state.notedAt = Date.now()
}

/**
 * What the gateway keeps no longer of the log goes there too, but later: whoever empties the folder
 * here must not have emptied it there.
 */
async function thinOut(here, away, state, keepHours) {
  if (Date.now() - state.thinnedAt < THIN_OUT_MS || state.there === undefined) return
  state.thinnedAt = Date.now()
  const old = ['--min-age', `${keepHours}h`]
  const names = await filesOf(away.rclone, below(away.backups, LOG), ['-R', ...old])
  const gone = names.filter(
    (name) => /\.wal(\.images)?$/.test(name) && !existsSync(join(here.log, name)),
  )
  if (gone.length === 0) return
  const words = ['delete', below(away.backups, LOG), '--files-from-raw', '-']
  await run(away.rclone, words, { input: `${gone.join('\n')}\n` })
}

async function copyNamed(rclone, from, to, names) {
  if (names.length === 0) return
  const words = ['copy', from, to, '--files-from-raw', '-', '--no-traverse', '--transfers', '8']
  await run(rclone, words, { input: `${names.join('\n')}\n` })
}

function copyText(rclone, to, text) {
  return run(rclone, ['rcat', to], { input: text })
}

async function filesOf(rclone, remote, options = []) {
  const text = await run(rclone, ['lsf', '--files-only', ...options, remote]).catch((error) => {
    if (NOT_FOUND.test(error.message)) return ''
    throw error
  })
  return text.split('\n').filter(Boolean)
}

function readIfThere(file) {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}
