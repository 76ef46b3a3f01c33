import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import {
  findscu,
  sampleItems,
  sampleQuery,
  scratchFolder,
  startWlmscpfs,
} from '../support/dcmtk.ts'
import { startGateway } from '../support/gateway.ts'
import { needs } from '../support/needs.ts'

// The sample worklist and queries that come with DCMTK: what wlmscpfs answers, what we answer, and
// the clause behind each difference.
const STATION =
  'PS3.4 K.6.1.2.2: partner items carry no station, so a station asked for is taken as the device’s own (stationMode echo)'
const LOCATION = 'PS3.4 K.2.2.1.2: wlmscpfs does not match this optional key'
const STATION_NAME =
  'PS3.4 C.2.2.1.3: ScheduledStationName is an optional key the partner’s items do not have, so it is not matched'
const EXPECTED = [
  { query: 0, wlmscpfs: 10, isthmus: 10, why: '' },
  { query: 1, wlmscpfs: 10, isthmus: 10, why: '' },
  { query: 2, wlmscpfs: 0, isthmus: 10, why: `${STATION}; ${STATION_NAME}` },
  { query: 3, wlmscpfs: 10, isthmus: 10, why: '' },
  { query: 4, wlmscpfs: 0, isthmus: 0, why: '' },
  // Of all their days, from noon of the first.
  { query: 5, wlmscpfs: 10, isthmus: 10, why: '' },
  { query: 6, wlmscpfs: 0, isthmus: 10, why: STATION },
  { query: 7, wlmscpfs: 0, isthmus: 10, why: STATION },
  { query: 8, wlmscpfs: 0, isthmus: 10, why: `${STATION}; ${STATION_NAME}` },
  { query: 9, wlmscpfs: 0, isthmus: 10, why: `${STATION}; ${STATION_NAME}` },
  { query: 10, wlmscpfs: 10, isthmus: 10, why: '' },
  { query: 11, wlmscpfs: 10, isthmus: 10, why: '' },
  {
    query: 12,
    wlmscpfs: 0,
    isthmus: 10,
    why: `${STATION}; ${STATION_NAME}; CommentsOnTheScheduledProcedureStep “*” is universal`,
  },
] as const

// Further keys where the peers differ among themselves (dicom-field §2.9).
const SPS = 'ScheduledProcedureStepSequence[0]'
const START_DATE = `${SPS}.ScheduledProcedureStepStartDate`
const START_TIME = `${SPS}.ScheduledProcedureStepStartTime`
/** The rows are thirty years old: without a date a query is for the days around today. */
const THEIR_DAYS = ['-k', `${START_DATE}=19930101-19961231`]
const KEYS = [
  {
    keys: ['PatientName=vivaldi*'],
    wlmscpfs: 0,
    isthmus: 3,
    why: 'PS3.4 C.2.2.2.4: PN may match case-insensitively',
  },
  { keys: ['PatientName=VIVALDI*'], wlmscpfs: 3, isthmus: 3, why: '' },
  {
    keys: [`${START_DATE}=19950101-19960101`, `${START_TIME}=1200-1300`],
    wlmscpfs: 2,
    isthmus: 2,
    why: '',
  },
  // A night, in which one exam is, and the night before it.
  {
    keys: [`${START_DATE}=19951014-19951015`, `${START_TIME}=2200-0900`],
    wlmscpfs: 1,
    isthmus: 1,
    why: '',
  },
  {
    keys: [`${START_DATE}=19951013-19951014`, `${START_TIME}=2200-0900`],
    wlmscpfs: 0,
    isthmus: 0,
    why: '',
  },
  {
    keys: [`${START_DATE}=19951014-19951206`, `${START_TIME}=0900-`],
    wlmscpfs: 1,
    isthmus: 2,
    why: 'PS3.4 K.6-1: one interval for both; without a last time it ends with the last day, for wlmscpfs where that day begins',
  },
  {
    keys: [`${SPS}.ScheduledProcedureStepLocation=B34F56`],
    wlmscpfs: 10,
    isthmus: 1,
    why: LOCATION,
  },
  {
    keys: [`${SPS}.ScheduledProcedureStepLocation=B*F56`],
    wlmscpfs: 10,
    isthmus: 4,
    why: LOCATION,
  },
  {
    keys: [`${SPS}.Modality=ct`],
    wlmscpfs: 0,
    isthmus: 4,
    why: 'PS3.5 6.2: CS is upper case; a console that sends lower case means the same',
  },
  { keys: [`${SPS}.ScheduledProcedureStepStartDate=notadate`], wlmscpfs: 0, isthmus: 0, why: '' },
] as const

/** A partner that gives the ten rows whatever the window: they are thirty years old. */
async function startPartner(): Promise<{ readonly url: string } & AsyncDisposable> {
  const body = JSON.stringify({ authorized: true, items: sampleItems() })
  const server = createServer((request, response) => {
    request.resume()
    response.setHeader('content-type', 'application/json').end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

it('answers the thirteen sample queries as wlmscpfs does, or differs for a reason of the standard', async (context) => {
  needs(context, 'dcmtk', 'dcmtk-samples')
  using scratch = scratchFolder()
  await using partner = await startPartner()
  await using wlmscpfs = await startWlmscpfs()
  await using ours = await startGateway({
    partner: partner.url,
    overrides: { 'dimse.allowUnknownDevices': true },
  })
  const rows = []
  for (const { query, why } of EXPECTED) {
    const file = await sampleQuery(query, scratch.path)
    const theirs = await findscu({
      port: wlmscpfs.port,
      called: 'OFFIS',
      query: file,
      args: THEIR_DAYS,
    })
    const mine = await findscu({ port: ours.dimsePort, query: file, args: THEIR_DAYS })
    rows.push({ query, wlmscpfs: theirs.pending, isthmus: mine.pending, why })
  }
  expect(rows).toEqual(EXPECTED)
})

it('folds case, takes date and time as one interval, and refuses what is no date', async (context) => {
  needs(context, 'dcmtk', 'dcmtk-samples')
  await using partner = await startPartner()
  await using wlmscpfs = await startWlmscpfs()
  await using ours = await startGateway({
    partner: partner.url,
    overrides: { 'dimse.allowUnknownDevices': true },
  })
  const rows = []
  for (const { keys, why } of KEYS) {
    const args = [
      ...THEIR_DAYS,
      ...['PatientName', `${SPS}.Modality`, ...keys].flatMap((key) => ['-k', key]),
    ]
    const theirs = await findscu({ port: wlmscpfs.port, called: 'OFFIS', args })
    const mine = await findscu({ port: ours.dimsePort, args })
    rows.push({ keys, wlmscpfs: theirs.pending, isthmus: mine.pending, why })
  }
  expect(rows).toEqual(KEYS)
  const refused = await findscu({
    port: ours.dimsePort,
    args: ['-k', `${SPS}.ScheduledProcedureStepStartDate=notadate`],
  })
  expect(refused.final).toBe('Error: DataSetDoesNotMatchSOPClass')
})
