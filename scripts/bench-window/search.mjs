import { Pool } from 'undici'
import { percentiles, signIn, TARGETS, timed } from './gateway.mjs'

/** Typed letter by letter: what is common, what is rare, what is nowhere, and numbers. */
const TYPED = {
  'a common name': 'garcia',
  'a rare name': 'zyskowski',
  'two words that never meet': 'contrast plain',
  'two words in any order': 'ana garcia',
  Japanese: '山田 太郎',
  'an accession number': 'a00499',
  'an MRN of one digit': '1111111',
  'nothing that is there': 'qqxyzz',
}
const whole = (text) => [text]
const letterByLetter = (text) =>
  Array.from(text, (_, at) => text.slice(0, at + 1).trim()).filter(
    (part, at, all) => all.indexOf(part) === at,
  )

function filters({ userId, customerId }) {
  const day = new Date(Date.now() - 5 * 86_400_000).toISOString().slice(0, 10)
  return {
    'no other filter': 'cancelled=all',
    'not cancelled': '',
    'stat, not cancelled': 'severity=stat',
    'stat of one customer, mine': `severity=stat&expressCustomerId=${customerId}&assignedTo=${userId}`,
    'in progress since five days': `status=in_progress&from=${day}`,
    'by priority': 'order=priority',
  }
}

/**
 * The window's list of studies over HTTP, each beside the plain first page of the same list.
 * Returns what missed its target.
 */
export async function search({ http, of, studies, rounds }) {
  const pool = new Pool(http, { connections: 1 })
  const cookie = await signIn(pool)
  const read = (query) => timed(pool, `/dashboard/studies?area=scribe&${query}`, cookie)
  const missed = []
  for (let round = 0; round < rounds; round++) await read('limit=20')
  console.log(
    `\n${studies} studies; ${rounds} rounds, one request at a time, each beside the plain page\n`,
  )
  console.log('| list | p50 ms | p95 ms | plain page p50 ms | ratio | target |')
  console.log('|---|---:|---:|---:|---:|---|')
  for (const [filterName, filter] of Object.entries(filters(of)))
    for (const [name, text] of Object.entries({ 'nothing typed': '', ...TYPED })) {
      const times = []
      const plain = []
      for (let round = 0; round < rounds; round++)
        for (const typed of filter === '' ? letterByLetter(text || ' ') : whole(text)) {
          plain.push(await read('limit=20'))
          times.push(await read(`limit=20&${filter}&search=${encodeURIComponent(typed)}`))
        }
      const [mine, beside] = [percentiles(times), percentiles(plain)]
      const row = [
        `${name}, ${filterName}`,
        mine.p50.toFixed(1),
        mine.p95.toFixed(1),
        beside.p50.toFixed(1),
        (mine.p50 / beside.p50).toFixed(1),
      ]
      console.log(`| ${row.join(' | ')} | p95 < ${TARGETS.searchMs} ms |`)
      if (mine.p95 > TARGETS.searchMs)
        missed.push(`${name}, ${filterName}: p95 ${mine.p95.toFixed(0)} ms`)
    }
  for (const [name, query] of Object.entries({
    'a common name': 'search=garcia',
    'a letter': 'search=m',
    'the area': '',
    stat: 'severity=stat',
  })) {
    const times = []
    for (let round = 0; round < rounds; round++)
      times.push(await timed(pool, `/dashboard/studies/counts?area=scribe&${query}`, cookie))
    const { p50, p95 } = percentiles(times)
    console.log(
      `| counts: ${name} | ${p50.toFixed(1)} | ${p95.toFixed(1)} | | | p95 < ${TARGETS.searchMs} ms |`,
    )
    if (p95 > TARGETS.searchMs) missed.push(`counts of ${name}: p95 ${p95.toFixed(0)} ms`)
  }
  const today = []
  for (let round = 0; round < rounds; round++)
    today.push(await timed(pool, '/dashboard/today', cookie))
  const { p50, p95 } = percentiles(today)
  console.log(`| Today | ${p50.toFixed(1)} | ${p95.toFixed(1)} | | | p95 < ${TARGETS.todayMs} ms |`)
  if (p95 > TARGETS.todayMs) missed.push(`Today: p95 ${p95.toFixed(0)} ms`)
  await pool.close()
  return missed
}
