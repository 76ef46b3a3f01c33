import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { openSimulatedFiles } from '#electron/simulator/files.ts'
import { openImageStore } from '#electron/simulator/image-store.ts'
import { readDataSet, tagOf } from '#server/dicom/data-set/data-set.ts'
import { SOP_CLASS, TRANSFER_SYNTAX } from '#server/dicom/data-set/uids.ts'
import { dashboard } from '#shared/contract/dashboard.ts'
import { dashboardPeople } from '#shared/contract/dashboard-people.ts'
import { dashboardDestinations } from '#shared/contract/destinations.ts'
import { dashboardEvents } from '#shared/contract/events.ts'
import { dashboardImages } from '#shared/contract/images.ts'
import { REPORT_CHECKS } from '#shared/contract/reports.ts'
import { viewing } from '#shared/contract/viewing.ts'
import { openTestSmtpServer } from '../electron/server/modules/mail/smtp-server.ts'
import { ask } from '../electron/server/modules/worklist/worklist-fixture.ts'
import { type DigestingArchive, openDigestingArchive } from '../fixtures/data-folder/archive.ts'
import {
  COMMITMENT,
  EXAMS,
  emailOf,
  OBSERVED_AT,
  PARTNER_STUDY,
} from '../fixtures/data-folder/clinic.ts'
import { look, observe, type Seen } from '../fixtures/data-folder/observe.ts'
import { openPartner, type Partner } from '../fixtures/data-folder/partner.ts'
import { commandAt } from '../fixtures/data-folder/program.ts'
import { type Acceptor, startAcceptor } from '../support/acceptor.ts'
import {
  callerOf,
  type StartedGateway,
  sessionHeaders,
  signIn,
  startGateway,
} from '../support/gateway.ts'
import { httpCall, OWN_PAGE } from '../support/http-call.ts'
import { readingWindow } from '../support/reporting-clinic.ts'
import { tempFolder } from '../support/temp-store.ts'
import { queryWorklist } from '../support/worklist-client.ts'

// Data folders that programs of earlier schemas left when they were killed (data-folder/make.ts):
// what their users saw, the jobs that waited, and their backup.
vi.setConfig({ testTimeout: 180_000 })

interface Secrets {
  readonly partnerSecret: string
  readonly password: string
  readonly recoveryKey: string
  /** Name of the backup. */
  readonly backup: string
  /** Of the second factor of `factor`, for when it is lost. */
  readonly codes: readonly string[]
  /** Tokens of an invitation, and of a link to the viewer. */
  readonly invitation: string
  readonly link: string
  readonly keys: Readonly<Record<string, { readonly key: string; readonly apiKeyId: string }>>
  readonly idempotent: { readonly key: string; readonly json: unknown; readonly answer: unknown }
}

interface Manifest {
  /** By SOP Instance UID: digest of the data set that a device sent last. */
  readonly images: Readonly<Record<string, string>>
  /** Accession numbers that CT1 was served last. */
  readonly worklist: readonly string[]
  /** Ids of report events that the partner has accepted. */
  readonly acknowledged: readonly string[]
  readonly seen: Seen
  /** Of the restored backup, where it differs; a number is the place of the same item in `seen`. */
  readonly restored: Readonly<Record<string, unknown>>
}

const FIXTURES = join(import.meta.dirname, '../fixtures/data-folder')
const until = <T>(check: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(check, { timeout: 60_000, interval: 50 })

describe.each(['0018'])('a data folder of schema %s', (schema) => {
  const manifest = JSON.parse(
    readFileSync(join(FIXTURES, `data-folder-${schema}.json`), 'utf8'),
  ) as Manifest
  let secrets: Secrets

  /** The folder, unpacked, and where its backup belongs. */
  function unpacked() {
    const temp = tempFolder()
    unpack(`data-folder-${schema}.tar.gz`, temp.folder)
    secrets = JSON.parse(readFileSync(join(temp.folder, 'secrets.json'), 'utf8')) as Secrets
    return {
      ...{ root: temp.folder, folder: join(temp.folder, 'data') },
      backup: join(temp.folder, 'backups', secrets.backup),
      [Symbol.dispose]: () => temp[Symbol.dispose](),
    }
  }

  it('shows everything to its users that they saw before', async () => {
    using on = unpacked()
    expectSame(await observe(on.folder), manifest.seen)
    // Once more, by what the first opening has made of it.
    expectSame(await observe(on.folder), manifest.seen)
  })

  it('serves the worklist that the partner sent last, while the partner is out of order', async () => {
    using on = unpacked()
    const clock = clockFrom('2026-11-20T09:42:00.000Z')
    await using peers = await openPeers(secrets.partnerSecret, clock)
    for (const partner of [peers.partner, peers.group]) partner.set('error')
    await redirect(on.folder, peers, clock)
    await using gateway = await startGateway({ folder: on.folder, partner: null, clock })
    const asked = {
      ScheduledProcedureStepStartDate: '20261120',
      Modality: '',
      ScheduledStationAETitle: '',
    }
    const keys = { SpecificCharacterSet: 'ISO_IR 192', ...ask({}, asked) }
    const { status, accessionNumbers } = await queryWorklist(gateway.dimsePort, { keys })
    expect([status, accessionNumbers]).toEqual(['0000', manifest.worklist])
  })

  it('goes on with every job from where it was, and repeats none that was done', async () => {
    using on = unpacked()
    const clock = clockFrom('2026-11-20T10:30:00.000Z')
    await using peers = await openPeers(secrets.partnerSecret, clock)
    const { partner, group, archive, second, smtp, device, files } = peers
    await redirect(on.folder, peers, clockFrom(OBSERVED_AT))
    {
      await using gateway = await startGateway({ folder: on.folder, partner: null, clock })
      const { call, http } = gateway
      await deliveredOnce(partner, group)
      await forwardedOnce(call, archive, second)
      await until(() => expect(smtp.received.map(({ to }) => to)).toEqual([[emailOf('postponed')]]))
      await until(() => expect(transactionsIn(device.messages)).toEqual([COMMITMENT.waiting]))
      await until(async () => {
        const { captures, images } = await look(gateway)
        expect(captures.filter(({ state }) => state === 'done')).toHaveLength(3)
        expect(captures.map(({ state }) => state).sort()).toEqual([
          'done',
          'done',
          'done',
          'failed',
          'kept',
        ])
        expect(images.filter(({ enrichment }) => enrichment.state === 'waiting')).toEqual([])
      })
      // Each of the two captures that waited is at both places once.
      expect(files.uploads).toHaveLength(4)
      await accounts(http)
      await write(http)
      // Its time was over when the gateway opened.
      await until(async () => {
        const { studies } = await call(dashboardImages.list, { query: { show: 'receiving' } })
        expect(studies).toEqual([])
      })
      await byteForByte(call)
      expect([partner.forged, group.forged]).toEqual([0, 0])
    }
    await using gateway = await startGateway({
      ...{ folder: on.folder, partner: null, clock: clockFrom('2026-11-20T11:30:00.000Z') },
    })
    expect(await gateway.call(dashboard.verifyAudit, {})).toMatchObject({
      isIntact: true,
      finding: null,
    })
    const after = await look(gateway)
    expect(givenUp(after)).toEqual(givenUp(manifest.seen))
    // A restart repeats nothing; what is new is the report that was signed now.
    const waited = expectedOf('partner')
    const counts = countsOf(partner)
    expect(waited.map((id) => counts[id])).toEqual(waited.map(() => 1))
    const others = Object.keys(counts).filter((id) => !waited.includes(id))
    expect([
      others.map((id) => counts[id]),
      manifest.acknowledged.filter((id) => others.includes(id)),
    ]).toEqual([[1], []])
  })

  it('has a backup that restores into an empty folder, and shows the same', async () => {
    using on = unpacked()
    unpack(`data-folder-${schema}-backup.tar.gz`, on.root)
    const folder = join(on.root, 'fresh')
    const args = ['restore', '--data', folder, '--from', on.backup, '--yes', '--recovery-key-stdin']
    const { exitCode, stderr } = await commandAt(OBSERVED_AT, args, secrets.recoveryKey)
    expect([exitCode, stderr]).toEqual([0, expect.any(String)])
    const { seen, restored } = manifest
    const expected = Object.fromEntries(
      Object.entries(seen).map(([key, value]) => [
        key,
        key in restored ? decoded(restored[key], value) : value,
      ]),
    )
    expectSame(await observe(folder), expected as Seen)
  })

  /** Reports that wait for their partner, by where they go. */
  function expectedOf(where: 'partner' | 'group'): string[] {
    const { events } = manifest.seen
    const own = new Set(manifest.seen.studies.filter(isOfGroup).map(({ studyId }) => studyId))
    const reports = manifest.seen.readings.flatMap(({ studyId, reports: some }) =>
      own.has(studyId) === (where === 'group') ? some : [],
    )
    const ids = reports.flatMap(({ delivery }) =>
      delivery?.state === 'waiting' ? [String(delivery.eventId)] : [],
    )
    expect(
      events.filter(({ eventId, state }) => ids.includes(eventId) && state === 'waiting'),
    ).toHaveLength(ids.length)
    return ids.sort()
  }

  async function deliveredOnce(partner: Partner, group: Partner): Promise<void> {
    expect([expectedOf('partner').length, expectedOf('group').length]).toEqual([3, 1])
    await until(() => expect(Object.keys(countsOf(partner)).sort()).toEqual(expectedOf('partner')))
    await until(() =>
      expect(countsOf(group)).toEqual(Object.fromEntries(expectedOf('group').map((id) => [id, 1]))),
    )
    const again = manifest.acknowledged.filter((id) => !expectedOf('partner').includes(id))
    expect(again.length).toBeGreaterThan(2)
    for (const id of again) expect(Object.keys(countsOf(partner))).not.toContain(id)
  }

  async function forwardedOnce(
    call: StartedGateway['call'],
    archive: DigestingArchive,
    second: DigestingArchive,
  ): Promise<void> {
    const of = (state: string) =>
      manifest.seen.forwards.filter(
        (one) => one.destinationName === 'Archive' && one.state === state,
      )
    const waiting = of('waiting').map(({ sopInstanceUid }) => sopInstanceUid)
    expect(waiting.length).toBeGreaterThan(5)
    await until(() => {
      const uids = archive.received.map(({ sopInstanceUid }) => sopInstanceUid)
      expect(uids).toEqual(expect.arrayContaining(waiting))
    })
    const uids = archive.received.map(({ sopInstanceUid }) => sopInstanceUid)
    expect(new Set(uids).size).toBe(uids.length)
    // But for the image whose device has replaced it since.
    const replaced = `${EXAMS[8]?.StudyInstanceUID}.1.1`
    expect(
      of('sent').filter(
        ({ sopInstanceUid }) => uids.includes(sopInstanceUid) && sopInstanceUid !== replaced,
      ),
    ).toEqual([])
    expect(second.received).toEqual([])
    const { destinations } = await call(dashboardDestinations.list, {})
    expect(destinations.find(({ name }) => name === 'PACS 2')?.queue).toMatchObject({
      waiting: 0,
      failed: 2,
    })
  }

  /** Accounts, keys and links of before. */
  async function accounts(http: string): Promise<void> {
    const login = { email: emailOf('factor'), password: secrets.password }
    const code = secrets.codes[0]
    const json = { ...login, code }
    const signedIn = await httpCall(`${http}/dashboard/session`, {
      method: 'POST',
      headers: OWN_PAGE,
      json,
    })
    expect(signedIn.status).toBe(200)
    const nobody = callerOf(http, OWN_PAGE)
    const token = secrets.invitation
    expect(await nobody(dashboardPeople.invitation, { body: { token } })).toMatchObject({
      email: emailOf('invited'),
    })
    await nobody(dashboardPeople.acceptInvitation, { body: { token, password: secrets.password } })
    await signIn(http, { email: emailOf('invited'), password: secrets.password })

    const statusOf = async (name: string) => {
      const headers = { authorization: `Bearer ${secrets.keys[name]?.key}` }
      return (await httpCall(`${http}/v1/scribe/studies?limit=1`, { headers })).status
    }
    expect(
      await Promise.all(['partner', 'self', 'rotated', 'rotatedNew', 'revoked'].map(statusOf)),
    ).toEqual([...[200, 200, 200, 200, 401]])
    const { key, json: body, answer } = secrets.idempotent
    const headers = { authorization: `Bearer ${secrets.keys.partner?.key}`, 'idempotency-key': key }
    const repeated = await httpCall(`${http}/v1/express`, { method: 'POST', headers, json: body })
    expect([repeated.status, repeated.json]).toEqual([201, answer])
    const open = () =>
      httpCall(`${http}${viewing.open.path}`, {
        method: 'POST',
        headers: OWN_PAGE,
        json: { token: secrets.link },
      })
    expect((await open()).json).toMatchObject({ kind: 'viewer', studyInstanceUid: PARTNER_STUDY })
    expect((await open()).status).toBe(422)
  }

  /** The draft of before is written to its end. */
  async function write(http: string): Promise<void> {
    const headers = await sessionHeaders(http, {
      email: emailOf('radiologist'),
      password: secrets.password,
    })
    const draft = manifest.seen.readings.find((one) => one.draft && !one.draft.isAddendum)
    if (!draft) throw new Error('the fixture has a draft')
    const window = readingWindow(callerOf(http, headers), draft.studyId)
    expect((await window.begin({ takeOver: true })).draft).toMatchObject(draft.draft ?? {})
    expect(await window.save(`${draft.draft?.text}\nUnchanged.`)).toMatchObject({
      ...{ outcome: 'saved', revision: (draft.draft?.revision ?? 0) + 1 },
    })
    expect(await window.sign({ acknowledged: [...REPORT_CHECKS] })).toMatchObject({
      outcome: 'signed',
    })
  }

  /** Every current image, sent to another destination, is what its device sent. */
  async function byteForByte(call: StartedGateway['call']): Promise<void> {
    await using judge = await openDigestingArchive()
    const { destinationId } = await call(dashboardDestinations.add, {
      body: { name: 'Check', aeTitle: 'CHECK', host: '127.0.0.1', port: judge.port },
    })
    const params = { destinationId }
    const studies = manifest.seen.images.filter(({ instances }) => instances > 0)
    for (const { studyInstanceUid } of studies) {
      await call(dashboardDestinations.send, { params, body: { studyInstanceUid } })
    }
    await until(async () => {
      const { destinations } = await call(dashboardDestinations.list, {})
      expect(destinations.find((one) => one.destinationId === destinationId)?.queue).toMatchObject({
        waiting: 0,
        failed: 0,
      })
    })
    const got = new Map(
      judge.received.map(({ sopInstanceUid, sha256 }) => [sopInstanceUid, sha256]),
    )
    const sent = Object.entries(manifest.images)
    const missing = sent.filter(([uid]) => !got.has(uid)).map(([uid]) => uid)
    // Corrected since, or made under the wrong worklist entry.
    const withdrawn = [EXAMS[9], EXAMS[10]].map((exam) => `${exam?.StudyInstanceUID}.1.`)
    expect(missing.filter((uid) => !withdrawn.some((start) => uid.startsWith(start)))).toEqual([])
    expect(sent.filter(([uid, sha256]) => got.has(uid) && got.get(uid) !== sha256)).toEqual([])
    expect(sent.length - missing.length).toBeGreaterThan(25)
  }
})

const unpack = (name: string, folder: string) =>
  execFileSync('tar', ['-C', folder, '-xzf', join(FIXTURES, name)])

/** Clock of a PC on which it was that instant when this was called. */
function clockFrom(instant: string): () => number {
  const offset = Date.parse(instant) - Date.now()
  return () => Date.now() + offset
}

/** Part by part: the program may show more than it did, but nothing less. */
function expectSame(seen: Seen, before: Seen): void {
  for (const [part, value] of Object.entries(before)) {
    expect({
      [part]: JSON.parse(JSON.stringify(seen[part as keyof Seen])) as unknown,
    }).toMatchObject({ [part]: value })
  }
}

const decoded = (value: unknown, before: unknown): unknown =>
  Array.isArray(value) && Array.isArray(before)
    ? value.map((item) =>
        typeof item === 'number' ? (before[item] as unknown) : (item as unknown),
      )
    : value

const isOfGroup = ({ studyInstanceUid }: { readonly studyInstanceUid: string }) =>
  studyInstanceUid === '1.2.826.0.1.3680043.10.999.21.44'

/** How often each report was accepted. */
function countsOf({ received }: Partner): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { envelope, mode } of received)
    if (mode === 'answer' && envelope.type === 'report.delivered')
      counts[envelope.id] = (counts[envelope.id] ?? 0) + 1
  return counts
}

/** What was given up stays so. */
function givenUp({ events, forwards, images, people, recovered, quarantine }: Seen) {
  return {
    events: events
      .filter(({ state }) => state === 'dropped' || state === 'failed')
      .map(({ eventId }) => eventId),
    forwards: forwards
      .filter(({ state }) => state === 'failed' || state === 'dropped')
      .map(({ sopInstanceUid, state }) => [sopInstanceUid, state]),
    commitments: images.flatMap(({ commitments }) =>
      commitments.filter(({ state }) => state === 'given-up'),
    ),
    enrichment: images
      .filter(({ enrichment }) => enrichment.state === 'given-up')
      .map((one) => one.studyInstanceUid),
    mails: people
      .filter(({ invitation }) => invitation?.mail === 'failed')
      .map(({ email }) => email),
    ...{ recovered, quarantine },
  }
}

type Peers = Awaited<ReturnType<typeof openPeers>>

/** Whatever the gateway of the fixture sends to, where it can be reached now. */
async function openPeers(secret: string, clock: () => number) {
  await using opened = new AsyncDisposableStack()
  const files = opened.use(await openSimulatedFiles({ clock }))
  const store = openImageStore(files)
  store.add({ studyInstanceUid: PARTNER_STUDY, images: [], uploads: 2 })
  const options = { secret, today: () => '20261120', files: store }
  const sopClass = SOP_CLASS.storageCommitmentPushModel
  const peers = {
    files,
    partner: opened.use(await openPartner(options)),
    group: opened.use(await openPartner(options)),
    archive: opened.use(await openDigestingArchive()),
    second: opened.use(await openDigestingArchive()),
    smtp: opened.use(await openTestSmtpServer()),
    device: opened.use(
      await startAcceptor({
        roles: [{ sopClass, scu: false, scp: true }],
        message: (message, peer) => peer.respond(message, 0x0000),
      }),
    ),
  }
  const kept = opened.move()
  return { ...peers, [Symbol.asyncDispose]: () => kept[Symbol.asyncDispose]() }
}

/**
 * Tells the gateway where its peers are now, as a person does in the window, while it sends
 * nothing.
 */
async function redirect(folder: string, peers: Peers, clock: () => number): Promise<void> {
  const { partner, group, archive, second, device, smtp } = peers
  const files = peers.files.host
  await using gateway = await startGateway({ folder, partner: null, isSafe: true, clock })
  const { call } = gateway
  const settings = { 'partner.plaintextHosts': [files] }
  await call(dashboard.changeSettings, { body: { settings } })
  const { endpoints } = await call(dashboardEvents.endpoints, {})
  for (const { endpointId, isDefault } of endpoints) {
    const body = isDefault ? { url: partner.url, fileHosts: [files] } : { url: group.url }
    await call(dashboardEvents.changeEndpoint, { params: { endpointId }, body })
  }
  const { destinations } = await call(dashboardDestinations.list, {})
  for (const { destinationId, name } of destinations) {
    const { port } = name === 'Archive' ? archive : second
    await call(dashboardDestinations.update, { params: { destinationId }, body: { port } })
  }
  const { devices } = await call(dashboard.devices, {})
  const deviceId = devices.find(({ aeTitle }) => aeTitle === 'CT1')?.deviceId ?? ''
  await call(dashboard.updateDevice, { params: { deviceId }, body: { port: device.port } })
  const { host, port, security, from, certificate } = smtp.smtp
  await call(dashboardPeople.setMail, {
    body: { host, port, security, from, certificate, user: null },
  })
}

/** Transaction UIDs of the event reports of storage commitment. */
function transactionsIn(messages: Acceptor['messages']): string[] {
  return messages.flatMap(({ dataSet }) => {
    if (!Buffer.isBuffer(dataSet)) return []
    const elements = readDataSet(dataSet, TRANSFER_SYNTAX.explicitLittleEndian)
    const found = elements.find(({ tag }) => tag === tagOf('TransactionUID'))
    return [String(found?.value).replace(/\0$/, '')]
  })
}
