import { describe, expect, it, onTestFinished } from 'vitest'
import type { OpenView } from '#server/http/callers.ts'
import { listEndpoints } from '#server/modules/partners/queries.ts'
import { openRefusedHosts } from '#server/modules/partners/refused-hosts.ts'
import { insertStudy } from '#server/modules/studies/study-writing-queries.ts'
import { PartnerAccess } from '#server/modules/viewer/partner-access.ts'
import { englishText } from '#shared/messages/english.ts'
import { message } from '#shared/messages/message.ts'
import { newKey } from '../../../../support/callers.ts'
import { newEndpoint } from '../../../../support/endpoints.ts'
import { tempStore } from '../../../../support/temp-store.ts'
import { viewRecord } from '../../../../support/view-record.ts'
import { openPartner, openTestRequester } from '../../webhooks/request-fixture.ts'

const AT = '2026-11-20T09:00:00.000Z'
const STUDY = { studyId: 'stu_1', studyInstanceUid: '1.2.3' }
const SOP = {
  ...{
    sopInstanceUID: '1.2.3.1.1',
    sopClassUID: '1.2.840.10008.5.1.4.1.1.2',
    rows: 512,
    columns: 512,
    bitsAllocated: 16,
  },
  ...{ photometricInterpretation: 'MONOCHROME2', samplesPerPixel: 1 },
}
const SERIES = {
  seriesInstanceUID: '1.2.3.1',
  modality: 'CT',
  seriesDescription: 'Thorax',
  seriesNumber: 1,
  sops: [SOP],
}
const MANIFEST = { studyInstanceUID: '1.2.3', series: [SERIES] }

/** A partner that answers this. */
async function asking(answer: unknown) {
  const partner = await openPartner((response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer)),
  )
  const { requester, outcomes } = openTestRequester(partner.url)
  const effects: string[] = []
  const temp = tempStore()
  onTestFinished(() => temp[Symbol.dispose]())
  const { store } = temp
  const { database } = store
  for (const apiKeyId of ['key-of-study', 'key-of-session']) {
    const { apiKeyId: made } = newKey(store)
    database.run(database.sql.updateTable('apiKeys').set({ apiKeyId }).where('apiKeyId', '=', made))
    newEndpoint(store, { apiKeyId, fileHosts: [`of ${apiKeyId}`] })
  }
  insertStudy(database, {
    ...{ ...STUDY, area: 'viewer', studyDescription: 'CT', severity: 'normal', status: 'complete' },
    ...{ cancelledAt: null, createdAt: AT, updatedAt: AT, assignedTo: null },
    ...{ expressCustomerId: null, createdByApiKeyId: 'key-of-study', createdByUserId: null },
    detail: {},
  })
  const refusedHosts = openRefusedHosts(Date.now)
  const asked = new PartnerAccess(store, requester, refusedHosts, {
    setEffect: (eventId, effect) =>
      void effects.push(`${eventId.slice(0, 3)} ${effect && englishText(effect)}`),
  })
  const refused = () =>
    listEndpoints(database).flatMap(({ endpointId, apiKeyId }) =>
      refusedHosts.of(endpointId).map(({ host }) => `${apiKeyId} ${host}`),
    )
  return { ...asked, effects, refused, outcomes, partner }
}
const { signal } = new AbortController()
const view = (more = {}): OpenView => ({ ...viewRecord('usr_1', more), user: undefined })

describe('the partner is asked', () => {
  it('for the images of a study, by the key that made it, and the event says what came', async () => {
    const mediaUrls = [{ mimeType: 'application/pdf', url: 'https://a.example/x.pdf' }]
    const urls = ['https://a.example/1', 'https://a.example/2', 'ftp://a.example/3']
    const on = await asking({ authorized: true, urls, manifest: MANIFEST, mediaUrls })
    const answer = await on.askImages(view(), STUDY, signal)
    expect(answer).toMatchObject({
      urls: urls.slice(0, 2),
      manifests: [{ studyInstanceUID: '1.2.3' }],
      media: mediaUrls,
    })
    expect(answer.notes.map(({ path }) => path)).toEqual(['urls.2'])
    expect(answer.hosts()).toEqual(['of key-of-study'])
    answer.noteRefusedHost('https://evil.example/')
    expect(on.refused()).toEqual(['key-of-study evil.example'])
    expect(on.effects).toEqual(['whe Gave 2 images, a manifest and 1 other file.'])
    expect(on.outcomes).toMatchObject([
      {
        type: 'study.access_requested',
        apiKeyId: 'key-of-study',
        about: { subject: 'stu_1', studyInstanceUid: '1.2.3' },
      },
    ])
  })

  it('for an ephemeral session with its handle and options, by the key that made the session', async () => {
    const on = await asking({ authorized: true, urls: ['https://a.example/1'] })
    const ephemeral = { retrievalId: 'handle', options: { a: 1 } }
    const session = view({
      kind: 'ephemeral',
      studyInstanceUid: null,
      ephemeral,
      createdByApiKeyId: 'key-of-session',
    })
    const answer = await on.askImages(session, null, signal)
    expect([answer.manifests, answer.media, answer.hosts()]).toEqual([
      [],
      [],
      ['of key-of-session'],
    ])
    expect(on.effects).toEqual(['whe Gave 1 image.'])
    const [{ about, request } = {}] = on.outcomes
    expect(about).toEqual({ subject: session.viewId, studyInstanceUid: null })
    expect(JSON.parse(String(request))).toMatchObject({
      type: 'ephemeral.access_requested',
      data: ephemeral,
    })
  })

  it('for the places of a capture; its effect is told once it is known', async () => {
    const on = await asking({ authorized: true, uploadUrls: ['https://a.example/1', 'no url'] })
    const data = { ...STUDY, seriesInstanceUid: '1.2', sopInstanceUid: '1.3' } as never
    const answer = await on.askUpload(data, 'key', signal)
    expect(answer).toMatchObject({
      uploadUrls: ['https://a.example/1'],
      notes: [{ path: 'uploadUrls.1' }],
    })
    expect(on.effects).toEqual([])
    answer.setEffect(message('viewer.uploaded', { places: 1 }))
    expect(on.effects).toEqual(['whe Uploaded to 1 place.'])
  })

  it('and may refuse', async () => {
    const on = await asking({ authorized: false, urls: [], uploadUrls: [] })
    await expect(on.askImages(view(), STUDY, signal)).rejects.toMatchObject({ fault: 'refused' })
    await expect(on.askUpload(STUDY as never, null, signal)).rejects.toMatchObject({
      fault: 'refused',
    })
    expect(on.effects).toEqual([])
  })
})
