import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ViewLine } from '#shared/contract/viewed-images.ts'
import { View, viewing } from '#shared/contract/viewing.ts'
import { viewPaths } from '#shared/view-paths.ts'
import { isthmus, running, serving } from '../support/command-line.ts'
import { webhookSecret } from '../support/gateway.ts'
import { httpCall, OWN_PAGE } from '../support/http-call.ts'
import { tempFolder } from '../support/temp-store.ts'

// From nothing to images in the viewer by the command line alone, as the demo does it: every
// command is a process of its own.

it('opens the simulated partner’s images by a link that a command gives', {
  timeout: 120_000,
}, async () => {
  using temp = tempFolder()
  const folder = join(temp.folder, 'data')
  const secret = webhookSecret()
  const secretFile = join(temp.folder, 'partner.secret')
  writeFileSync(secretFile, secret)
  await using partner = await running([
    'simulator',
    'partner',
    '--port',
    '0',
    '--secret',
    secret,
    '--images',
  ])
  await expect
    .poll(() => partner.stderr)
    .toEqual([expect.stringContaining('--secret: other accounts of this PC')])
  const study = String(partner.ready.study)
  await using gateway = await serving(
    folder,
    '--partner-url',
    String(partner.ready.url),
    '--partner-secret-file',
    secretFile,
  )
  const command = async (words: string, ...args: readonly string[]) => {
    const { exitCode, stdout, stderr } = await isthmus([
      ...words.split(' '),
      '--data',
      folder,
      ...args,
    ])
    expect({ words, exitCode, stderr }).toEqual({ words, exitCode: 0, stderr: '' })
    return stdout.trim()
  }
  expect(await command('file-host add', String(partner.ready.files), '--plaintext')).toBe(
    partner.ready.files,
  )
  await command('api-key create', '--description', 'Demo', '--viewer')
  const link = await command('link viewer', '--study', study, '--description', 'CT thorax')
  expect(link.startsWith(`${gateway.http}/study/stu_`)).toBe(true)

  const token = new URL(link).searchParams.get('token')
  const open = () =>
    httpCall(`${gateway.http}${viewing.open.path}`, {
      method: 'POST',
      headers: OWN_PAGE,
      json: { token },
    })
  const opened = await open()
  const { viewId } = View.parse(opened.json)
  const cookie = opened.headers['set-cookie']?.[0]?.split(';')[0] ?? ''
  const { text } = await httpCall(`${gateway.http}${viewPaths.images(viewId)}`, {
    headers: { cookie },
  })
  const lines = text
    .split('\n')
    .flatMap((line) => (line === '' ? [] : [ViewLine.parse(JSON.parse(line))]))
  expect(lines.at(-1)).toMatchObject({ line: 'progress', state: 'done' })
  expect(lines.filter(({ line }) => line === 'faults')).toEqual([])
  const sops = lines.flatMap((line) =>
    line.line === 'instances' ? line.instances.map(({ sopInstanceUid }) => sopInstanceUid) : [],
  )
  expect(new Set(sops).size).toBe(300)
  // Once: the next link comes from the command again.
  expect((await open()).status).toBe(422)
  expect(await command('link viewer', '--study', study)).not.toBe(link)
})
