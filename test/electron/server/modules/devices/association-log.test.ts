import { randomUUID } from 'node:crypto'
import { expect, it, vi } from 'vitest'
import { openContext } from '#server/context.ts'
import { AssociationLog } from '#server/modules/devices/association-log.ts'
import {
  markAssociationsLost,
  purgeAssociations,
  readAssociation,
} from '#server/modules/devices/association-queries.ts'
import { supportTextOf } from '#server/modules/devices/association-support.ts'
import { purgeExpired } from '#server/modules/diagnostics/retention.ts'
import type { FeedLine } from '#shared/contract/dashboard.ts'
import { englishText } from '#shared/messages/english.ts'
import { verbatim } from '#shared/messages/message.ts'
import { tempStore, withoutRoom } from '../../../../support/temp-store.ts'

const ALL = { show: 'all' } as const
const DAY_MS = 24 * 60 * 60_000

function openLog() {
  const temp = tempStore()
  const { mock } = vi.spyOn(temp.store.log, 'error')
  return { ...temp, errors: mock.calls, log: new AssociationLog(temp.store) }
}

let lineId = 0
const lineOf = (associationId: string, text: string, more: Partial<FeedLine> = {}): FeedLine => ({
  ...{
    lineId: ++lineId,
    at: '2026-03-10T09:00:00.000Z',
    associationId,
    kind: 'opened',
    tone: 'plain',
    aeTitle: 'CT1',
    address: '10.0.3.7',
  },
  ...{ text: verbatim(text), inspectionId: null, studyInstanceUid: null },
  ...more,
})

interface Visit {
  readonly id?: string
  readonly aeTitle?: string
  readonly address?: string
  readonly how?: 'released' | 'aborted' | 'rejected' | 'open'
  readonly detail?: string
  readonly name?: string
}

/** A device comes, says one thing and goes. */
function visit(
  log: AssociationLog,
  {
    id = randomUUID(),
    aeTitle = 'CT1',
    address = '10.0.3.7',
    how = 'released',
    detail = '',
    name,
  }: Visit,
) {
  const device = name === undefined ? undefined : { deviceId: randomUUID(), name }
  log.opened({ associationId: id, aeTitle, calledAeTitle: 'ISTHMUS', address, tls: '', device })
  log.line(lineOf(id, `${aeTitle} connected.`, { aeTitle, address }))
  log.counted(id, { echoes: 1 })
  if (how !== 'open') log.closed(id, how, detail === '' ? null : verbatim(detail))
  return id
}

it('lists connections newest first, page after page, and the filters it is given', async () => {
  using clinic = openLog()
  const { log } = clinic
  for (let at = 0; at < 5; at++) visit(log, { id: `ct-${at}`, name: 'Tomógrafo de la planta 2' })
  visit(log, {
    id: 'us',
    aeTitle: 'US1',
    address: '10.0.3.8',
    how: 'rejected',
    detail: 'it is not in the device list',
  })
  visit(log, {
    id: 'mr',
    aeTitle: 'MR1',
    address: '10.0.3.9',
    how: 'aborted',
    detail: 'no data for 120 s',
  })
  visit(log, { id: 'xa', aeTitle: 'XA1', address: '10.0.3.9', how: 'open' })
  visit(log, { id: 'cr', aeTitle: 'CR1' })
  log.counted('cr', { failures: 1 })
  const idsOf = async (
    filter: Omit<Parameters<AssociationLog['list']>[0], 'show'> & {
      show?: 'all' | 'open' | 'rejected' | 'failed'
    },
  ) =>
    (await log.list({ ...ALL, ...filter }, { limit: 100 })).items.map(
      ({ associationId }) => associationId,
    )
  expect(await idsOf({})).toEqual(['cr', 'xa', 'mr', 'us', 'ct-4', 'ct-3', 'ct-2', 'ct-1', 'ct-0'])
  expect(await idsOf({ show: 'rejected' })).toEqual(['us'])
  expect(await idsOf({ show: 'failed' })).toEqual(['cr', 'mr'])
  expect(await idsOf({ show: 'open' })).toEqual(['xa'])
  expect(await idsOf({ aeTitle: 'US1' })).toEqual(['us'])
  expect(await idsOf({ address: '10.0.3.9' })).toEqual(['xa', 'mr'])
  expect(await idsOf({ address: '10.0.3.9', show: 'failed' })).toEqual(['mr'])
  expect(await idsOf({ aeTitle: 'CT1', address: '10.0.3.7', show: 'failed' })).toEqual([])
  expect(await idsOf({ show: 'failed', search: 'mr1' })).toEqual(['mr'])
  expect(await idsOf({ search: 'TOMOGRAFO' })).toHaveLength(5)
  expect(await idsOf({ search: 'no data' })).toEqual(['mr'])
  expect(await idsOf({ search: '%' })).toEqual([])
  const first = await log.list(ALL, { limit: 4 })
  expect(first).toMatchObject({ items: [{}, {}, {}, {}], hasMore: true })
  const rest = await log.list(ALL, { limit: 100, cursor: first.cursor })
  expect(rest.items.map(({ associationId }) => associationId)).toEqual([
    'ct-4',
    'ct-3',
    'ct-2',
    'ct-1',
    'ct-0',
  ])
  await expect(log.list(ALL, { limit: 4, cursor: 'nonsense' })).rejects.toThrow(
    'The cursor does not belong to this list.',
  )
})

it('finds what is rare among many, a portion at a time', async () => {
  using clinic = openLog()
  const { log, clock } = clinic
  visit(log, { id: 'rare', aeTitle: 'RARE' })
  for (let second = 0; second < 90; second++) {
    for (let at = 0; at < 100; at++) visit(log, {})
    clock.pass(1000)
    await log.flush()
  }
  const found = await log.list({ ...ALL, search: 'rare' }, { limit: 20 })
  expect(found).toMatchObject({ items: [{ associationId: 'rare' }], hasMore: false })
  expect(await log.list({ show: 'rejected', aeTitle: 'CT1' }, { limit: 20 })).toMatchObject({
    items: [],
    hasMore: false,
  })
})

it('keeps an open connection current, and lines that come after its end', async () => {
  using clinic = openLog()
  const { log } = clinic
  visit(log, { id: 'ct', how: 'open' })
  expect((await log.read('ct')).association).toMatchObject({
    how: 'open',
    endedAt: null,
    counts: { echoes: 1 },
  })
  log.counted('ct', { queries: 1, exams: 6 })
  log.closed('ct', 'released', verbatim('released by the other side'))
  log.closed('ct', 'aborted', verbatim('said twice'))
  expect((await log.read('ct')).association).toMatchObject({
    how: 'released',
    counts: { echoes: 1, queries: 1, exams: 6 },
  })
  log.line(lineOf('ct', 'CT1 asked for today’s list.', { kind: 'worklist', inspectionId: 7 }))
  log.line(lineOf('', 'of nobody'))
  log.line(lineOf('window', 'of no association'))
  expect((await log.read('ct')).lines).toMatchObject([
    { kind: 'opened', aeTitle: 'CT1', address: '10.0.3.7' },
    { kind: 'worklist', inspectionId: 7 },
  ])
  await expect(log.read('window')).rejects.toThrow('There is no such connection')
  expect(clinic.errors).toEqual([])
})

it('keeps so many lines of a connection, and its last one', async () => {
  using clinic = openLog()
  const { log } = clinic
  visit(log, { id: 'ct', how: 'open' })
  for (let at = 0; at < 400; at++) log.line(lineOf('ct', 'An echo.', { kind: 'echo' }))
  log.line(lineOf('ct', 'CT1 closed the connection.', { kind: 'closed' }))
  const { lines, omitted } = await log.read('ct')
  expect([lines.length, omitted, lines.at(-1)?.kind]).toEqual([301, 101, 'closed'])
})

it('gives callers that come by the thousand a second a row together, and loses no count', async () => {
  using clinic = openLog()
  const { log, clock, store } = clinic
  for (let at = 0; at < 1000; at++)
    visit(log, {
      aeTitle: at % 2 === 0 ? 'CT1' : 'FLOOD',
      how: at % 2 === 0 ? 'released' : 'rejected',
    })
  for (let at = 0; at < 200; at++)
    visit(log, { aeTitle: `CALLER${at}`, how: 'rejected', detail: `said ${at}` })
  await log.flush()
  const rows = (await log.list(ALL, { limit: 100 })).items
  const rest = (
    await log.list(ALL, { limit: 100, cursor: (await log.list(ALL, { limit: 100 })).cursor })
  ).items
  const all = [...rows, ...rest]
  expect(all.length).toBeLessThan(160)
  expect(all.reduce((sum, { times }) => sum + times, 0)).toBe(1200)
  expect(all.reduce((sum, { counts }) => sum + counts.echoes, 0)).toBe(1200)
  expect(all.find(({ times, aeTitle }) => times > 1 && aeTitle === 'FLOOD')).toMatchObject({
    how: 'rejected',
    times: 450,
  })
  expect(
    all.find(({ detail }) => detail && englishText(detail) === 'many connections at the same time'),
  ).toMatchObject({
    aeTitle: '',
    address: '',
    deviceId: null,
  })
  clock.pass(1000)
  await log.flush()
  visit(log, { id: 'first of the crowd' })
  await log.flush()
  clock.pass(1000)
  visit(log, { id: 'of the next second' })
  expect((await log.read('of the next second')).association.times).toBe(1)
  expect(markAssociationsLost(store.database, verbatim('lost'))).toBe(0)
})

it('says of those open when the gateway went down that they are lost, and of all else what it knew a second before', async () => {
  using clinic = openLog()
  visit(clinic.log, { id: 'open', how: 'open' })
  visit(clinic.log, { id: 'done' })
  await clinic.log.flush()
  visit(clinic.log, { id: 'unwritten' })
  // Killed: nothing of its memory is written.
  clinic.store[Symbol.dispose]()
  using store = openContext({ folder: clinic.folder, clock: clinic.clock, uuid: randomUUID })
  const again = new AssociationLog(store)
  expect((await again.list(ALL, { limit: 20 })).items).toMatchObject([
    { associationId: 'done', how: 'released', tone: 'plain' },
    {
      associationId: 'open',
      how: 'lost',
      detail: 'the gateway stopped while the connection was open',
      endedAt: null,
      tone: 'warning',
    },
  ])
  expect((await again.list({ show: 'failed' }, { limit: 20 })).items).toMatchObject([
    { associationId: 'open' },
  ])
})

it('goes on after a write that failed', async () => {
  using clinic = openLog()
  const { log, errors, store } = clinic
  visit(log, { id: 'before', how: 'open' })
  await log.flush()
  store.database.run({
    compile: () => ({ sql: 'alter table associationLines rename to away', parameters: [] }),
  } as never)
  visit(log, { id: 'lost' })
  await log.flush()
  expect(errors).toHaveLength(1)
  store.database.run({
    compile: () => ({ sql: 'alter table away rename to associationLines', parameters: [] }),
  } as never)
  log.closed('before', 'released', null)
  visit(log, { id: 'after' })
  expect(
    (await log.list(ALL, { limit: 20 })).items.map(({ associationId, how }) => [
      associationId,
      how,
    ]),
  ).toEqual([
    ['after', 'released'],
    ['before', 'released'],
  ])
})

it.each(['full', 'read-only'] as const)(
  'keeps what was noted while the disk is %s, and writes it afterwards',
  async (disk) => {
    using clinic = openLog()
    const { log, errors, store } = clinic
    const terms = () => ({
      maximumLength: 0,
      implementationClassUid: '1.2.3',
      implementationVersionName: 'CT',
      contexts: [],
    })
    log.opened({
      associationId: 'long',
      aeTitle: 'CT1',
      calledAeTitle: 'ISTHMUS',
      address: '10.0.3.7',
      tls: '',
      device: undefined,
      terms,
    })
    log.line(lineOf('long', 'x'.repeat(100_000)))
    {
      using _fault = withoutRoom(store, disk)
      for (let turn = 0; turn < 3; turn++) await log.flush()
      visit(log, { id: 'meanwhile' })
      await log.flush()
      expect(readAssociation(store.database, 'long')).toBe(undefined)
    }
    log.closed('long', 'released', null)
    const { association, lines, terms: kept } = await log.read('long')
    expect([association.how, lines.length, kept?.implementationVersionName]).toEqual([
      'released',
      1,
      'CT',
    ])
    expect((await log.read('meanwhile')).lines).toHaveLength(1)
    expect(errors).toEqual([])
  },
)

it('forgets connections after the days of the setting, none that is open, and what was agreed with the last of them', async () => {
  using clinic = openLog()
  const { log, clock, store } = clinic
  const terms = () => ({
    maximumLength: 0,
    implementationClassUid: '1.2.3',
    implementationVersionName: 'OLD',
    contexts: [],
  })
  log.opened({
    associationId: 'old',
    aeTitle: 'CT1',
    calledAeTitle: 'ISTHMUS',
    address: '10.0.3.7',
    tls: '',
    device: undefined,
    terms,
  })
  log.line(lineOf('old', 'CT1 connected.'))
  log.closed('old', 'released', null)
  visit(log, { id: 'open since', how: 'open' })
  expect((await log.read('old')).terms).toMatchObject({ implementationVersionName: 'OLD' })
  clock.pass(31 * DAY_MS)
  visit(log, { id: 'new' })
  await log.flush()
  await purgeExpired(clinic.store)
  expect(
    (await log.list(ALL, { limit: 20 })).items.map(({ associationId }) => associationId),
  ).toEqual(['new', 'open since'])
  const count = (table: string) =>
    store.database.get({
      compile: () => ({ sql: `select count(*) n from ${table}`, parameters: [] }),
    } as never)
  expect([count('associationLines'), count('associationTerms')]).toEqual([{ n: 2 }, { n: 0 }])
})

it('forgets the oldest beyond the most that are kept', async () => {
  using clinic = openLog()
  for (let at = 0; at < 10; at++) visit(clinic.log, { id: `ct-${at}` })
  await clinic.log.flush()
  expect(purgeAssociations(clinic.store.database, '2026-01-01T00:00:00.000Z', 4, 100)).toBe(6)
  expect(
    (await clinic.log.list(ALL, { limit: 20 })).items.map(({ associationId }) => associationId),
  ).toEqual(['ct-9', 'ct-8', 'ct-7', 'ct-6'])
})

it('keeps what was agreed with a sender that proposes as many contexts as there may be', async () => {
  using clinic = openLog()
  const { log } = clinic
  const id = randomUUID()
  const transferSyntaxes = [
    '1.2.840.10008.1.2.4.70',
    '1.2.840.10008.1.2.4.90',
    '1.2.840.10008.1.2.1',
  ]
  const contexts = Array.from({ length: 128 }, (_, at) => ({
    ...{
      id: 2 * at + 1,
      abstractSyntax: `1.2.840.10008.5.1.4.1.1.${at}`,
      name: 'Enhanced Magnetic Resonance Colour Image Storage',
    },
    ...{ transferSyntaxes, result: 0, transferSyntax: '1.2.840.10008.1.2.1' },
  }))
  log.opened({
    ...{
      associationId: id,
      aeTitle: 'CT1',
      calledAeTitle: 'ISTHMUS',
      address: '10.0.3.7',
      tls: '',
      device: undefined,
    },
    terms: () => ({
      maximumLength: 16_384,
      implementationClassUid: '1.2.276.0.1',
      implementationVersionName: 'OFFIS',
      contexts,
    }),
  })
  log.closed(id, 'released', null)
  expect((await log.read(id)).terms?.contexts).toHaveLength(128)
})

it('gives support what it needs and no patient: AE titles and addresses stay, UIDs of studies go', async () => {
  using clinic = openLog()
  const { log } = clinic
  const id = randomUUID()
  const contexts = [
    {
      id: 1,
      abstractSyntax: '1.2.840.10008.5.1.4.31',
      name: 'Modality Worklist',
      transferSyntaxes: ['1.2.840.10008.1.2'],
    },
    {
      id: 3,
      abstractSyntax: '1.2.840.10008.1.1',
      name: 'Verification',
      transferSyntaxes: ['1.2.840.10008.1.2.5'],
    },
  ]
  const agreed = [
    { result: 0, transferSyntax: '1.2.840.10008.1.2' },
    { result: 4, transferSyntax: '' },
  ]
  log.opened({
    ...{
      associationId: id,
      aeTitle: 'CT1',
      calledAeTitle: 'OLD_RIS',
      address: '10.0.3.21',
      tls: '',
      device: undefined,
    },
    terms: () => ({
      ...{
        maximumLength: 16_384,
        implementationClassUid: '1.2.276.0.1',
        implementationVersionName: 'MODALITY_1',
      },
      contexts: contexts.map((context, at) => ({
        ...context,
        ...(agreed[at] ?? { result: 2, transferSyntax: '' }),
      })),
    }),
  })
  const study = '1.2.276.0.7230010.3.1.2.8323329.4242.17'
  log.line(
    lineOf(id, `Images of ${study} came from 2.0.3.21 by 1.2.840.10008.1.2.1.`, {
      kind: 'images',
      studyInstanceUid: study,
    }),
  )
  log.counted(id, { queries: 1, exams: 6 })
  log.closed(id, 'aborted', verbatim('no data for 120 s'))
  const record = await log.read(id)
  const text = supportTextOf(record, {
    version: '1.2.3',
    aeTitle: 'ISTHMUS',
    now: '2026-03-10T10:00:00.000Z',
  })
  expect(text).not.toContain(study)
  for (const part of [
    'CT1 at 10.0.3.21',
    'OLD_RIS (the gateway is ISTHMUS)',
    'aborted: no data for 120 s',
    '6 exams sent',
    'MODALITY_1',
  ])
    expect(text).toContain(part)
  expect(text).toContain('Images of (UID) came from 2.0.3.21 by 1.2.840.10008.1.2.1.')
  expect(text).toContain('Modality Worklist (1.2.840.10008.5.1.4.31): accepted 1.2.840.10008.1.2')
  expect(text).toContain('Verification (1.2.840.10008.1.1): transfer syntaxes not supported')
})
