import { expect, it } from 'vitest'
import { purgeInspections, readInspection } from '#server/modules/worklist/inspection-queries.ts'
import { findInspection, recordInspection } from '#server/modules/worklist/inspections.ts'
import { purgeUnreferencedDocuments, storeDocument } from '#server/modules/worklist/queries.ts'
import type { QueryRun } from '#server/modules/worklist/query-run.ts'
import { type SharedDocument, sharedDocument } from '#server/modules/worklist/verdicts.ts'
import { verbatim } from '#shared/messages/message.ts'
import { tempStore } from '../../../../support/temp-store.ts'
import { item, NOW } from './worklist-fixture.ts'

const SUMMARY = {
  at: NOW,
  origin: 'device',
  deviceName: 'CT room 1',
  callingAeTitle: 'CT1',
  calledAeTitle: 'ISTHMUS',
  remoteAddress: '127.0.0.1',
  source: 'live',
  status: '0000',
  errorComment: '',
  fault: null,
  sent: 2,
  filtered: 0,
  withheld: 0,
  tookMs: 1,
  partnerMs: 1,
  sentence: verbatim('CT1 asked.'),
} as const
const CONTEXT = { dateStart: '2026-11-20', dateEnd: '2026-11-20', modality: '' }
const verdicts = (count: number) =>
  sharedDocument({
    findings: [{ verdict: 'sent', reason: null, remarks: [] }],
    runs: [count, 0],
    keys: [],
    remarks: [verbatim('a remark')],
    context: CONTEXT,
  })

/** A query that was answered with these verdicts on the rows of a document. */
const run = (document: SharedDocument, hash?: string) =>
  ({
    request: { transferSyntax: '1.2.840.10008.1.2.1' },
    querySource: { origin: 'device' },
    answered: hash === undefined ? undefined : { answer: { hash }, call: null },
    cached: { document },
  }) as unknown as QueryRun

it('keeps the verdicts of a thousand queries once', async () => {
  using temp = tempStore(NOW)
  const { store } = temp
  const shared = verdicts(2)
  const ids = await Promise.all(
    Array.from({ length: 1000 }, () => recordInspection(store, run(shared), SUMMARY)),
  )
  expect(new Set(ids).size).toBe(1000)
  const hashes = new Set(ids.map((id) => readInspection(store.database, id)?.verdictHash))
  expect(hashes).toEqual(new Set([shared.hash]))
})

it('keeps the verdicts again where they may have been forgotten meanwhile', async () => {
  using temp = tempStore(NOW)
  const { store, clock } = temp
  const shared = verdicts(0)
  await recordInspection(store, run(shared), SUMMARY)
  clock.pass(25 * 3_600_000)
  purgeInspections(store.database, new Date(clock()).toISOString())
  expect(purgeUnreferencedDocuments(store)).toBe(1)
  const id = await recordInspection(store, run(shared), {
    ...SUMMARY,
    at: new Date(clock()).toISOString(),
  })
  expect((await findInspection(store, id, 'all'))?.remarks).toEqual(['a remark'])
})

it('shows at most a thousand rows and counts them all', async () => {
  using temp = tempStore(NOW)
  const { store } = temp
  const answerHash = storeDocument(
    store,
    Buffer.from(
      JSON.stringify({ authorized: true, items: Array.from({ length: 1500 }, (_, n) => item(n)) }),
    ),
  )
  const id = await recordInspection(store, run(verdicts(1500), answerHash), SUMMARY)
  const inspection = await findInspection(store, id, 'sent')
  expect([inspection?.rows.length, inspection?.rowsTotal]).toEqual([1000, 1500])
  expect((await findInspection(store, id, 'filtered'))?.rowsTotal).toBe(0)
})

it('shows a query without its rows where the response is no longer kept', async () => {
  using temp = tempStore(NOW)
  const { store } = temp
  const id = await recordInspection(store, run(verdicts(2)), SUMMARY)
  expect(await findInspection(store, id, 'all')).toMatchObject({
    inspectionId: id,
    rows: [],
    rowsTotal: 0,
    sentence: 'CT1 asked.',
  })
})

it('shows what version 0.1 recorded in English', async () => {
  using temp = tempStore(NOW)
  const { store } = temp
  const answer = { authorized: true, items: [item(1), item(2)] }
  const answerHash = storeDocument(store, Buffer.from(JSON.stringify(answer)))
  const sent = { verdict: 'sent', reason: '', remarks: ['sent in UTF-8'] }
  const filtered = { verdict: 'filtered', reason: 'Modality (0008,0060) “MR”', remarks: [] }
  const old = { findings: [sent, filtered], runs: [1, 0, 1, 1], keys: [], remarks: ['a remark'] }
  const bytes = Buffer.from(JSON.stringify({ ...old, context: CONTEXT }))
  const id = await recordInspection(store, run({ bytes, hash: '', keptAt: 0 }, answerHash), SUMMARY)
  store.database.run(
    store.database.sql.updateTable('inspections').set({ sentence: 'CT1 asked for 1 day.' }),
  )
  expect(await findInspection(store, id, 'all')).toMatchObject({
    sentence: 'CT1 asked for 1 day.',
    remarks: ['a remark'],
    rows: [
      { verdict: 'sent', reason: null, remarks: ['sent in UTF-8'] },
      { verdict: 'filtered', reason: 'Modality (0008,0060) “MR”', remarks: [] },
    ],
  })
})

it('leaves nothing of a patient readable in the database', async () => {
  using temp = tempStore(NOW)
  const { store } = temp
  const key = {
    tag: '(0010,0010)',
    keyword: 'PatientName',
    vr: 'PN',
    value: 'ZZSECRETZZ',
    matching: 'singleValue',
  } as const
  await recordInspection(
    store,
    run(sharedDocument({ findings: [], runs: [], keys: [key], remarks: [], context: null })),
    SUMMARY,
  )
  const bytes = store.database
    .all(store.database.sql.selectFrom('documents').select('sealed'))
    .map(({ sealed }) => sealed.toString('latin1'))
  expect(bytes).toHaveLength(1)
  expect(bytes[0]).not.toContain('ZZSECRETZZ')
})
