import { expect, it } from 'vitest'
import { openInspector, sharedDocument } from '#server/modules/worklist/inspector.ts'
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
  sentence: 'CT1 asked.',
  transferSyntax: '1.2.840.10008.1.2.1',
} as const
const DETAIL = { question: null, partner: null, userId: null }
const CONTEXT = { dateStart: '2026-11-20', dateEnd: '2026-11-20', modality: '' }
const verdicts = (count: number) =>
  sharedDocument({
    findings: [{ verdict: 'sent', reason: '', remarks: [] }],
    runs: [count, 0],
    keys: [],
    remarks: ['a remark'],
    context: CONTEXT,
  })

it('keeps the verdicts of a thousand queries once', async () => {
  using temp = tempStore(NOW)
  const inspector = openInspector({ store: temp.store, clock: temp.clock })
  const shared = verdicts(2)
  const ids = await Promise.all(
    Array.from({ length: 1000 }, () =>
      inspector.record({ ...SUMMARY, answerHash: null }, DETAIL, shared),
    ),
  )
  expect(new Set(ids).size).toBe(1000)
  const hashes = new Set(ids.map((id) => temp.store.inspections.read(id)?.verdictHash))
  expect(hashes).toEqual(new Set([shared.hash]))
})

it('keeps the verdicts again where they may have been forgotten meanwhile', async () => {
  using temp = tempStore(NOW)
  const { store, clock } = temp
  const inspector = openInspector({ store, clock })
  const shared = verdicts(0)
  await inspector.record({ ...SUMMARY, answerHash: null }, DETAIL, shared)
  clock.pass(25 * 3_600_000)
  store.inspections.purge(new Date(clock()).toISOString())
  expect(store.documents.purgeUnreferenced()).toBe(1)
  const id = await inspector.record(
    { ...SUMMARY, at: new Date(clock()).toISOString(), answerHash: null },
    DETAIL,
    shared,
  )
  expect((await inspector.read(id, 'all'))?.remarks).toEqual(['a remark'])
})

it('shows at most a thousand rows and counts them all', async () => {
  using temp = tempStore(NOW)
  const { store, clock } = temp
  const inspector = openInspector({ store, clock })
  const answerHash = store.documents.keep(
    Buffer.from(
      JSON.stringify({ authorized: true, items: Array.from({ length: 1500 }, (_, n) => item(n)) }),
    ),
  )
  const id = await inspector.record({ ...SUMMARY, answerHash }, DETAIL, verdicts(1500))
  const inspection = await inspector.read(id, 'sent')
  expect([inspection?.rows.length, inspection?.rowsTotal]).toEqual([1000, 1500])
  expect((await inspector.read(id, 'filtered'))?.rowsTotal).toBe(0)
})

it('shows a query without its rows where the answer is no longer kept', async () => {
  using temp = tempStore(NOW)
  const inspector = openInspector({ store: temp.store, clock: temp.clock })
  const id = await inspector.record({ ...SUMMARY, answerHash: null }, DETAIL, verdicts(2))
  expect(await inspector.read(id, 'all')).toMatchObject({
    inspectionId: id,
    rows: [],
    rowsTotal: 0,
    sentence: 'CT1 asked.',
  })
})

it('leaves nothing of a patient readable in the database', async () => {
  using temp = tempStore(NOW)
  const inspector = openInspector({ store: temp.store, clock: temp.clock })
  const key = {
    tag: '(0010,0010)',
    keyword: 'PatientName',
    vr: 'PN',
    value: 'ZZSECRETZZ',
    matching: 'singleValue',
  } as const
  await inspector.record(
    { ...SUMMARY, answerHash: null },
    DETAIL,
    sharedDocument({ findings: [], runs: [], keys: [key], remarks: [], context: null }),
  )
  const bytes = temp.store.database
    .all(temp.store.database.sql.selectFrom('documents').select('sealed'))
    .map(({ sealed }) => sealed.toString('latin1'))
  expect(bytes).toHaveLength(1)
  expect(bytes[0]).not.toContain('ZZSECRETZZ')
})
