// The gateway that is measured, and calls to it.
import { ended, startedScript } from '../bench-kit.mjs'
import { PERSON } from './clinic.mjs'

export const TARGETS = {
  searchMs: 150,
  todayMs: 30,
  firstMs: 1000,
  firstKilobytes: 300,
  blankMs: 200,
}
const OWN_PAGE = {
  'x-isthmus-csrf': '1',
  'sec-fetch-site': 'same-origin',
  'content-type': 'application/json',
}
const OPTIONS = [
  '--http',
  '127.0.0.1:0',
  '--dimse',
  '127.0.0.1:0',
  '--dimse-tls',
  'off',
  '--log-level',
  'error',
]

export async function timed(pool, path, cookie) {
  const sent = performance.now()
  const { statusCode, body } = await pool.request({
    path,
    method: 'GET',
    headers: { ...OWN_PAGE, cookie },
  })
  const text = await body.text()
  if (statusCode !== 200) throw new Error(`${path} was answered ${statusCode}: ${text}`)
  return performance.now() - sent
}

export async function signIn(pool) {
  const answer = await pool.request({
    path: '/dashboard/session',
    method: 'POST',
    headers: OWN_PAGE,
    body: JSON.stringify(PERSON),
  })
  const text = await answer.body.text()
  const cookie = [answer.headers['set-cookie']].flat()[0]?.split(';')[0]
  if (answer.statusCode >= 300 || !cookie)
    throw new Error(`no session: ${answer.statusCode} ${text}`)
  return cookie
}

export function percentiles(times) {
  times.sort((a, b) => a - b)
  return { p50: times[times.length >> 1] ?? 0, p95: times[Math.floor(times.length * 0.95)] ?? 0 }
}

export async function start(entry, folder) {
  const gateway = await startedScript(entry, ['serve', '--data', folder, ...OPTIONS])
  return { ready: gateway.ready, end: () => ended(gateway) }
}
