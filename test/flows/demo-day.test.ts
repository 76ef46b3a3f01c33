import { afterEach, expect, it, vi } from 'vitest'
import { type DemoDayOptions, runDemoDay } from '#electron/cli/demo/demo-day.ts'
import { demoAnswers, REFUSED_DELIVERIES } from '#electron/simulator/demo-answers.ts'
import { localDay } from '#electron/simulator/partner.ts'
import { openAccounts } from '#server/modules/users/people.ts'
import { dashboard } from '#shared/contract/dashboard.ts'
import { dashboardStudies } from '#shared/contract/dashboard-studies.ts'
import { dashboardEvents } from '#shared/contract/events.ts'
import { dashboardImages } from '#shared/contract/images.ts'
import { type StartedGateway, startGateway } from '../support/gateway.ts'

// The day of `npm run demo`, with short pauses, against a gateway that is reached as a device, a
// partner and a user reach it.

vi.setConfig({ testTimeout: 120_000 })
afterEach(() => vi.restoreAllMocks())

const RADIOLOGIST = { email: 'radiologist@demo.example', password: 'seven quiet otters' }
const SPEED = 60
const dayOfDemo = () => localDay(Date.now())
const WAIT = { timeout: 60_000, interval: 200 }

function demoGateway(): Promise<StartedGateway> {
  const device = { characterSet: 'ISO_IR 192' } as const
  return startGateway({
    devices: [
      { aeTitle: 'CT1', modality: 'CT', ...device },
      { aeTitle: 'MR1', modality: 'MR', ...device },
    ],
    partner: { answers: demoAnswers(dayOfDemo) },
    clock: () => Date.now(),
    async prepare(context) {
      const people = openAccounts(context, { logN: 10, r: 8, p: 1 })
      await people.createUser(
        {
          ...RADIOLOGIST,
          ...{ firstName: 'Rosa', lastName: 'Reader', level: 'member', clinicRole: 'Radiologist' },
        },
        'command-line',
      )
    },
  })
}

/** Runs the day until it is disposed of. */
function startDay({ dimsePort, http }: StartedGateway) {
  const stopping = new AbortController()
  const lines: string[] = []
  const options: DemoDayOptions = {
    peer: { host: '127.0.0.1', port: dimsePort, aeTitle: 'ISTHMUS' },
    windowUrl: http,
    radiologist: RADIOLOGIST,
    clock: () => Date.now(),
    speed: SPEED,
    signal: stopping.signal,
    report: (line) => void lines.push(line),
  }
  const ended = runDemoDay(options)
  return {
    lines,
    async [Symbol.asyncDispose]() {
      stopping.abort()
      await ended
    },
  }
}

it('shows an approval, images, a mismatch, a STAT study and a delivery that is retried', async () => {
  await using gateway = await demoGateway()
  const { call } = gateway
  await using day = startDay(gateway)
  const list = (show: 'all' | 'mismatch') => call(dashboardImages.list, { query: { show } })

  await vi.waitFor(async () => {
    const { callers } = await call(dashboard.callers, {})
    expect(callers.map(({ aeTitle }) => aeTitle).sort()).toEqual(['CT_ER', 'MR2'])
  }, WAIT)
  await call(dashboard.approveCaller, { body: { aeTitle: 'MR2', address: '127.0.0.1' } })

  await vi.waitFor(async () => {
    const { studies } = await list('mismatch')
    expect(studies).toMatchObject([{ identity: 'mismatch', modalities: ['MR'] }])
  }, WAIT)

  await vi.waitFor(async () => {
    const query = { area: 'scribe', severity: 'stat' } as const
    const { studies } = await call(dashboardStudies.list, { query })
    expect(studies).toMatchObject([
      { studyDescription: 'CT Head', status: 'unassigned', images: { instances: 12 } },
    ])
  }, WAIT)

  const delivery = async () => {
    const query = { type: 'report.delivered' } as const
    const { events } = await call(dashboardEvents.list, { query })
    return events.at(-1)
  }
  await vi.waitFor(
    async () => expect(await delivery()).toMatchObject({ state: 'waiting', outcome: 'refused' }),
    WAIT,
  )
  const eventId = (await delivery())?.eventId
  if (!eventId) throw new Error('no report was signed')
  for (let attempt = 1; attempt <= REFUSED_DELIVERIES; attempt++)
    await call(dashboardEvents.replay, { body: { which: 'these', eventIds: [eventId] } })
  await vi.waitFor(
    async () => expect(await delivery()).toMatchObject({ state: 'done', outcome: 'accepted' }),
    WAIT,
  )
  expect((await delivery())?.attempts).toBeGreaterThan(REFUSED_DELIVERIES)

  // The mismatch is the third stop of the tour: it comes before the exams of the other device.
  const lineOf = (text: string) => day.lines.findIndex((line) => line.includes(text))
  expect(lineOf('They name another patient')).toBeLessThan(lineOf('CT1 sent'))

  // The approved device sends images, and so do the others.
  await vi.waitFor(() => expect(day.lines.join('\n')).toMatch(/^MR2 sent 12 images/m), WAIT)
  const { studies } = await list('all')
  expect(studies.length).toBeGreaterThanOrEqual(5)
  expect(day.lines.filter((line) => !EXPECTED.test(line))).toEqual([])
})

const EXPECTED =
  /sent \d+ images: |is unknown and was refused\. |^They name another patient|^The study is STAT|^A report was signed/

it('goes on with the worklist of the new day after midnight', async () => {
  const realNow = Date.now
  const midnight = new Date(realNow())
  midnight.setHours(24, 0, 0, 0)
  let offset = midnight.getTime() - realNow() - 30_000
  vi.spyOn(Date, 'now').mockImplementation(() => realNow() + offset)
  const [today, tomorrow] = [dayOfDemo(), localDay(midnight.getTime())]
  expect(tomorrow).not.toBe(today)

  await using gateway = await demoGateway()
  await using day = startDay(gateway)
  const shown = () => day.lines.join('\n')
  await vi.waitFor(() => expect(shown()).toContain(`A${today}`), WAIT)
  offset += 60_000
  await vi.waitFor(() => expect(shown()).toContain(`A${tomorrow}`), WAIT)
  const { studies } = await gateway.call(dashboardImages.list, { query: {} })
  expect(studies.map(({ accessionNumber }) => accessionNumber)).toContainEqual(
    expect.stringContaining(`A${tomorrow}`),
  )
})
