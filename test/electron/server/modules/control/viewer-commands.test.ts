import { expect, it } from 'vitest'
import { listEndpoints } from '#server/modules/partners/queries.ts'
import { setPartner } from '#server/modules/partners/service.ts'
import { findStudyByUid } from '#server/modules/studies/study-queries.ts'
import { openFolder } from './commands-fixture.ts'

const STUDY = '2.25.7'

it('gives a link to a study that is there, and makes one where it is described', async () => {
  using folder = openFolder()
  const link = (study: string, description?: string) =>
    folder.run('link viewer', {
      options: { study, ...(description !== undefined && { description }) },
    })
  expect(await link(STUDY, 'CT thorax')).toMatchObject({
    ok: false,
    output: 'There is no API key that may use the viewer. Create one with api-key create --viewer.',
  })
  expect(findStudyByUid(folder.context.database, 'viewer', STUDY)).toBeUndefined()
  await folder.run('api-key create', { options: { description: 'PACS', viewer: true } })
  expect((await link(STUDY)).ok).toBe(false)
  const made = await link(STUDY, 'CT thorax')
  expect(made).toEqual({
    ok: true,
    output: expect.stringMatching(
      /^http:\/\/127\.0\.0\.1:8042\/study\/stu_[0-9a-f]{32}\?token=\S{20,}$/,
    ),
  })
  const study = findStudyByUid(folder.context.database, 'viewer', STUDY)
  expect(study).toMatchObject({ studyDescription: 'CT thorax', severity: 'normal' })
  // The same study again, however it is named, by a link of its own.
  const more = [await link(STUDY, 'Another'), await link(study?.studyId ?? '')]
  expect(new Set([made, ...more].map(({ output }) => output.split('?')[0])).size).toBe(1)
  expect(new Set([made, ...more].map(({ output }) => output)).size).toBe(3)
  expect(findStudyByUid(folder.context.database, 'viewer', STUDY)?.studyDescription).toBe(
    'CT thorax',
  )
})

it.each(['', 'CT thorax', '1.2.', 'stu_1'])('makes no link to “%s”', async (study) => {
  using folder = openFolder()
  await folder.run('api-key create', { options: { description: 'PACS', viewer: true } })
  const { ok, output } = await folder.run('link viewer', {
    options: { study, description: 'CT thorax' },
  })
  expect([ok, output]).toEqual([
    false,
    expect.stringMatching(
      /^(--study takes a Study Instance UID, or the id of a study\.|.*study.*)$/,
    ),
  ])
})

it('lets files come from a host of the partner, once, and by http where it is told to', async () => {
  using folder = openFolder()
  const add = (host: string | undefined, options = {}) =>
    folder.run('file-host add', { ...(host !== undefined && { arguments: [host] }), options })
  expect(await add('files.example:443')).toMatchObject({
    ok: false,
    output:
      'There is no partner yet. Set one up with serve --partner-url or on the Partner screen.',
  })
  setPartner(
    folder.context,
    { url: 'https://partner.example/webhooks', allowPlaintext: false },
    'command-line',
  )
  for (const wrong of [
    undefined,
    '',
    'files.example',
    'https://files.example:443',
    'files.example:443/x',
    'files.example:123456',
  ])
    expect(await add(wrong)).toMatchObject({ ok: false, output: 'file-host add takes HOST:PORT.' })
  const hosts = () => listEndpoints(folder.context.database).map(({ fileHosts }) => fileHosts)
  expect(await add('files.example:443')).toEqual({ ok: true, output: 'files.example:443' })
  expect(folder.context.settings.get('partner.plaintextHosts')).toEqual([])
  await add('files.example:443')
  await add('10.0.0.9:8080', { plaintext: true })
  await add('10.0.0.9:8080', { plaintext: true })
  expect(hosts()).toEqual([['files.example:443', '10.0.0.9:8080']])
  expect(folder.context.settings.get('partner.plaintextHosts')).toEqual(['10.0.0.9:8080'])
})
