import { expect, it } from 'vitest'
import { openRefusedHosts } from '#server/modules/partners/refused-hosts.ts'

function refusedHosts() {
  let now = Date.parse('2026-03-10T09:00:00.000Z')
  return { ...openRefusedHosts(() => now), pass: (ms: number) => (now += ms) }
}
const hostsOf = (refused: ReturnType<typeof refusedHosts>, endpointId = 'e1') =>
  refused.of(endpointId).map(({ host }) => host)

it.each([
  ['https://files.partner.example/a.dcm?token=1', 'files.partner.example'],
  ['https://files.partner.example:443/a.dcm', 'files.partner.example'],
  ['https://files.partner.example:8443/', 'files.partner.example:8443'],
  ['http://files.partner.example/', 'files.partner.example:80'],
  ['http://files.partner.example:8080/', 'files.partner.example:8080'],
])('lists the host of %s as %s', (url, host) => {
  const refused = refusedHosts()
  refused.note('e1', url)
  expect(hostsOf(refused)).toEqual([host])
})

it.each([
  '',
  'no address',
  'ftp://files.partner.example/',
  'xhttps://files.partner.example/',
  'httpsx://a/',
])('lists nothing for %j', (url) => {
  const refused = refusedHosts()
  refused.note('e1', url)
  expect(hostsOf(refused)).toEqual([])
})

it('lists the hosts of each endpoint for itself, newest first, once each with its newest time', () => {
  const refused = refusedHosts()
  refused.note('e1', 'https://a.example/')
  refused.note('e2', 'https://a.example/')
  refused.note('e1', 'https://b.example/')
  refused.pass(1000)
  refused.note('e1', 'https://a.example/other')
  expect(refused.of('e1')).toEqual([
    { host: 'a.example', at: '2026-03-10T09:00:01.000Z' },
    { host: 'b.example', at: '2026-03-10T09:00:00.000Z' },
  ])
  expect(refused.of('e2')).toEqual([{ host: 'a.example', at: '2026-03-10T09:00:00.000Z' }])
})

it('keeps the newest 50', () => {
  const refused = refusedHosts()
  for (let n = 0; n < 51; n++) refused.note('e1', `https://h${n}.example/`)
  const hosts = hostsOf(refused)
  expect(hosts).toHaveLength(50)
  expect([hosts[0], hosts.at(-1)]).toEqual(['h50.example', 'h1.example'])
})
