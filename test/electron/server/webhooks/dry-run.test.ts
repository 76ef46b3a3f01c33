import { describe, expect, it } from 'vitest'
import { dryRun } from '#server/webhooks/dry-run.ts'
import { Verdict } from '#shared/contract/events.ts'
import type { EventType } from '#shared/contract/webhooks.ts'
import { englishText } from '#shared/messages/english.ts'

const run = (type: EventType, body: unknown, context: Parameters<typeof dryRun>[2] = {}) =>
  Verdict.parse(
    dryRun(type, Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)), context),
  )

describe('a dry run', () => {
  it.each<[EventType, unknown, string]>([
    [
      'study.access_requested',
      { authorized: true, urls: ['https://a.example/1'] },
      '1 file would be loaded, without a manifest.',
    ],
    [
      'ephemeral.access_requested',
      {
        authorized: true,
        urls: ['https://a.example/1', 'https://a.example/2'],
        mediaUrls: [{ mimeType: 'a/b', url: 'https://a.example/3' }],
      },
      '2 files would be loaded with 1 other file, without a manifest.',
    ],
    [
      'secondary_capture.access_requested',
      { authorized: true, uploadUrls: [] },
      'There is no URL to upload the capture to.',
    ],
    [
      'modality_worklist.requested',
      { authorized: true, items: [] },
      '0 exams would be read, each of them separately.',
    ],
    [
      'patient_study.enrichment_requested',
      { mrn: 'M1', sex: 'other' },
      'It would be used for mrn, sex.',
    ],
    ['clinical_context.enrichment_requested', {}, 'It is an empty response.'],
    ['report.delivered', { success: true }, 'The report would count as delivered.'],
  ])('says what %s would be used for', (type, body, sentence) => {
    expect(run(type, body)).toMatchObject({
      outcome: 'accepted',
      sentence,
      notes: [],
      used: expect.stringContaining('{'),
    })
  })

  it('says which URLs an event would not request, and why', () => {
    const answer = {
      authorized: true,
      urls: ['https://a.example/1', 'https://b.example/2', 'https://b.example:8443/3'],
      mediaUrls: [{ mimeType: 'a/b', url: 'https://c.example/4' }],
    }
    const sentenceFor = (fileHosts: string[]) =>
      englishText(run('study.access_requested', answer, { fileHosts }).sentence)
    expect(sentenceFor(['a.example', 'b.example:8443'])).toBe(
      '3 files would be loaded with 1 other file, without a manifest. 2 URLs of it would not be requested: b.example:443 is not in the list of hosts that files may be downloaded from.',
    )
    expect(sentenceFor(['a.example', 'b.example', 'b.example:8443', 'c.example'])).toBe(
      '3 files would be loaded with 1 other file, without a manifest.',
    )
  })

  it('shows what would be used, and where parts were left out', () => {
    const { sentence, notes, used } = run('study.access_requested', {
      authorized: true,
      urls: ['https://a.example/1', 'x'],
      extra: 1,
    })
    expect(sentence).toEqual(
      '1 file would be loaded, without a manifest. One part of it does not have the agreed form.',
    )
    expect(notes.map(({ path }) => path)).toEqual(['urls.1'])
    expect(JSON.parse(used ?? '')).toEqual({ authorized: true, urls: ['https://a.example/1'] })
  })

  it('says of an enrichment with one unusable field what would be used of it, as it would be used', () => {
    const { outcome, sentence, notes, used } = run('patient_study.enrichment_requested', {
      severity: 'stat',
      dateOfBirth: '1.5.71',
    })
    expect([outcome, sentence]).toEqual([
      'accepted',
      'It would be used for severity. One part of it does not have the agreed form.',
    ])
    expect(notes).toEqual([
      { path: 'dateOfBirth', sentence: 'It is not a date in the form YYYY-MM-DD; it is left out.' },
    ])
    expect(JSON.parse(used ?? '')).toEqual({ severity: 'stat' })
  })

  it('refuses a worklist without items, which would empty no list', () => {
    expect(run('modality_worklist.requested', { authorized: true })).toMatchObject({
      outcome: 'invalid',
      sentence:
        'The response cannot be used: the response does not have the agreed form: items: it is missing. The caller would receive an error.',
    })
  })

  it('holds a manifest against the study that was asked for', () => {
    const sops = [{ sopClassUID: '1.2.840.10008.5.1.4.1.1.88.11', sopInstanceUID: '1.2.3.1.1' }]
    const series = [
      {
        modality: 'SR',
        seriesDescription: 'Dose',
        seriesInstanceUID: '1.2.3.1',
        seriesNumber: 1,
        sops,
      },
    ]
    const body = {
      authorized: true,
      urls: ['https://a.example/1'],
      manifest: { studyInstanceUID: '1.2.3', series },
    }
    expect(run('study.access_requested', body, { studyInstanceUid: '1.2.3' }).sentence).toEqual(
      expect.stringContaining('using a manifest of 1 instance'),
    )
    expect(run('study.access_requested', body, { studyInstanceUid: '1.2.4' }).sentence).toEqual(
      expect.stringContaining('without a manifest'),
    )
  })

  it.each<[EventType, unknown, string, string]>([
    [
      'study.access_requested',
      { authorized: false, error: 'study not found' },
      'refused',
      'The partner refuses the request: study not found. The caller would receive an error.',
    ],
    [
      'modality_worklist.requested',
      '<html>',
      'invalid',
      'The response cannot be used: the response is not JSON in UTF-8. The caller would receive an error.',
    ],
    ['patient_study.enrichment_requested', [], 'invalid', 'It would count as an empty response.'],
    [
      'report.delivered',
      { success: false },
      'refused',
      'The report would not count as delivered and would be sent again.',
    ],
    ['report.delivered', '', 'invalid', 'The response cannot be used: the response is empty.'],
  ])('says what becomes of %s answered with %j', (type, body, outcome, sentence) => {
    const verdict = run(type, body)
    expect(verdict).toMatchObject({ outcome, used: null })
    expect(englishText(verdict.sentence)).toContain(sentence)
  })
})
