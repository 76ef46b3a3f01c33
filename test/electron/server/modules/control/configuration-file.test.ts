import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { openFolder } from './commands-fixture.ts'

const FILE = `
# One clinic of a group.
settings:
  clinic.name: Example clinic
  dimse.idleSeconds: 90
partner:
  url: https://ris.example/hooks
devices:
  - aeTitle: CT1
    address: 192.0.2.21
    modality: CT
  - aeTitle: US1
destinations:
  - name: PACS
    aeTitle: PACS
    host: pacs.example
    port: 104
    isAutomatic: true
`

const applied = (folder: ReturnType<typeof openFolder>, input: string, options = {}) =>
  folder.run('apply', { input, options })

const entriesOf = ({ context }: ReturnType<typeof openFolder>) =>
  context.audit.list({ limit: 100 }).items.length

describe('apply', () => {
  it('makes the configuration what the file says, and changes nothing the second time', async () => {
    using folder = openFolder()
    const first = await applied(folder, FILE)
    expect(first.ok, first.output).toBe(true)
    expect(first.output.replace(/whsec_\S+/, 'SECRET').split('\n')).toEqual([
      'Changed:',
      '~ clinic.name: "" -> "Example clinic"',
      '~ dimse.idleSeconds: 120 -> 90',
      '~ partner: none -> https://ris.example/hooks; its new signing secret, shown once: SECRET',
      '+ device CT1 at 192.0.2.21',
      '+ device US1',
      '+ destination PACS',
    ])
    const entries = entriesOf(folder)
    expect(await applied(folder, FILE)).toEqual({ ok: true, output: 'Nothing to change.' })
    expect(entriesOf(folder)).toBe(entries)
  })

  it('changes only the fields that the file has', async () => {
    using folder = openFolder()
    await applied(folder, FILE)
    const { output } = await applied(
      folder,
      'devices: [{aeTitle: us1, hideStarted: true}]\ndestinations: [{name: pacs, port: 11112}]',
    )
    expect(output.split('\n')).toEqual([
      'Changed:',
      '~ device us1: aeTitle "US1" -> "us1", hideStarted false -> true',
      '~ destination pacs: name "PACS" -> "pacs", port 104 -> 11112',
    ])
    expect(parse((await folder.run('config export')).output)).toMatchObject({
      destinations: [{ name: 'pacs', host: 'pacs.example', port: 11112, isAutomatic: true }],
    })
  })

  it('removes what is not in the lists only with --prune', async () => {
    using folder = openFolder()
    await applied(folder, FILE)
    const shorter = 'devices: [{aeTitle: US1}]\ndestinations: []'
    expect((await applied(folder, shorter)).output).toBe('Nothing to change.')
    expect((await applied(folder, shorter, { prune: true })).output.split('\n')).toEqual([
      'Changed:',
      '- device CT1 at 192.0.2.21',
      '- destination PACS',
    ])
  })

  it('changes nothing in a dry run', async () => {
    using folder = openFolder()
    const entries = entriesOf(folder)
    const { output } = await applied(folder, FILE, { 'dry-run': true })
    expect(output).toContain('Would be changed:')
    expect(output).toContain('+ destination PACS')
    expect(entriesOf(folder)).toBe(entries)
    expect((await applied(folder, FILE, { 'dry-run': true })).output).toContain('+ device US1')
  })

  it.each([
    ['a: [', 'The file is not YAML'],
    ['devicez: []', 'has no field devicez'],
    ['devices: [{aeTitle: A}, {aeTitle: B, colour: red}]', 'devices[2]: has no field colour'],
    ['devices: [{name: A}]', 'devices[1].aeTitle: is missing'],
    ['destinations: [{name: PACS, port: 104}]', 'destinations[1].aeTitle: is missing'],
    ['settings: {dimse.idleSeconds: soon}', 'settings.dimse.idleSeconds: '],
    ['settings: {no.such: 1}', 'settings.no.such: '],
    ['devices: [{aeTitle: A}, {aeTitle: a}]', 'devices[2]: is in the list twice'],
    ['partner: {url: http://ris.example/}', 'partner'],
    ['devices: [{aeTitle: A, address: nowhere!}]', 'devices[1].address: '],
  ])('refuses %j as a whole and names the place', async (broken, expected) => {
    using folder = openFolder()
    const entries = entriesOf(folder)
    const { ok, output } = await applied(folder, `${broken}\n`)
    expect({ ok, output }).toEqual({ ok: false, output: expect.stringContaining(expected) })
    expect(entriesOf(folder)).toBe(entries)
  })

  it('applies nothing of a file of which one record is refused', async () => {
    using folder = openFolder()
    const twoNodes = `${FILE}  - {name: Second, aeTitle: PACS, host: pacs.example, port: 104}\n`
    const { ok, output } = await applied(folder, twoNodes)
    expect(ok).toBe(false)
    expect(output).toContain('destinations[2]')
    expect(parse((await folder.run('config export')).output)).toEqual(
      expect.objectContaining({ devices: [], destinations: [] }),
    )
  })
})

describe('the secrets of a site', () => {
  const SITE = (more = '') => `
settings:
  oidc.isOn: true
  oidc.issuer: https://id.clinic.example/realms/staff
  oidc.clientId: isthmus
  otlp.url: https://collector.clinic.example:4318
  dictation.url: http://127.0.0.1:8080
  reports.destinationId: PACS
partner:
  url: https://ris.example/hooks
destinations:
  - {name: PACS, aeTitle: PACS, host: pacs.example, port: 104}
secrets:
  oidc.clientSecret: a secret
  otlp.authorization: Bearer x
  dictation.secret: spoken
  mail.password: by mail
  partner.signingSecret: whsec_${'A'.repeat(43)}=
${more}`
  const NAMES = ['mail.password', 'dictation.secret', 'oidc.clientSecret', 'otlp.authorization']

  it('are set once, bound to their addresses, and printed nowhere', async () => {
    using folder = openFolder()
    const first = await applied(folder, SITE())
    expect(first.ok, first.output).toBe(true)
    const lines = first.output.split('\n')
    expect(lines.filter((line) => line.includes('secret'))).toEqual([
      '~ partner: none -> https://ris.example/hooks; its signing secret was replaced',
      ...NAMES.map((name) => `+ secret ${name}`),
    ])
    expect(await applied(folder, SITE())).toEqual({ ok: true, output: 'Nothing to change.' })
    const changed = await applied(folder, SITE().replace('by mail', 'by other mail'))
    expect(changed.output).toBe('Changed:\n~ secret mail.password')

    const exported = (await folder.run('config export')).output
    expect(exported.split('\n')[0]).toBe(`# Set here, and not in this file: ${NAMES.join(', ')}`)
    const everything = `${first.output}${exported}${JSON.stringify(folder.context.audit.list({ limit: 100 }))}`
    for (const secret of ['a secret', 'Bearer x', 'spoken', 'by mail', 'whsec_'])
      expect(everything).not.toContain(secret)
    expect(await applied(folder, exported)).toEqual({ ok: true, output: 'Nothing to change.' })
    // The destination of the reports has another id on another gateway.
    expect(exported).toContain('reports.destinationId: PACS')
  })

  it('are refused without what they belong to, or under another name', async () => {
    using folder = openFolder()
    const alone = await applied(folder, 'secrets: {oidc.clientSecret: x}')
    expect([alone.ok, alone.output]).toEqual([false, expect.stringContaining('issuer URL')])
    const partner = await applied(folder, 'secrets: {partner.signingSecret: whsec_x}')
    expect(partner.output).toContain('needs the partner in the same file')
    expect((await applied(folder, 'secrets: {oidc.secret: x}')).ok).toBe(false)
  })
})

describe('the tiers of a site', () => {
  const TIERS = `
destinations:
  - {name: PACS, aeTitle: PACS, host: pacs.example, port: 104, hasPriors: true}
tiers:
  - name: Bucket
    kind: s3
    endpoint: https://rgw.clinic.example:7480
    bucket: images
    accessKeyId: isthmus
    isAutomatic: true
  - {name: Archive, kind: pacs, destination: PACS}
  - {name: Other archive, kind: dicomweb, url: https://archive.clinic.example/dicom-web, user: isthmus}
`
  const SECRETS = `secrets:
  tier.Bucket: the secret key
  tier.Other archive: the password
`

  it('are added with their secrets, and nothing is changed the second time', async () => {
    using folder = openFolder()
    const first = await applied(folder, TIERS + SECRETS)
    expect(first.output.split('\n')).toEqual([
      'Changed:',
      '+ destination PACS',
      '+ tier Bucket',
      '+ tier Archive',
      '+ tier Other archive',
      '+ secret tier.Bucket',
      '+ secret tier.Other archive',
    ])
    const entries = entriesOf(folder)
    expect(await applied(folder, TIERS + SECRETS)).toEqual({
      ok: true,
      output: 'Nothing to change.',
    })
    expect(entriesOf(folder)).toBe(entries)
    const exported = (await folder.run('config export')).output
    expect(exported.split('\n')[0]).toBe(
      '# Set here, and not in this file: tier.Bucket, tier.Other archive',
    )
    expect(parse(exported).tiers).toEqual(
      expect.arrayContaining(
        parse(TIERS).tiers.map((tier: object) => expect.objectContaining(tier)),
      ),
    )
    expect(await applied(folder, exported)).toEqual({ ok: true, output: 'Nothing to change.' })
    const everything = `${first.output}${exported}${JSON.stringify(folder.context.audit.list({ limit: 100 }))}`
    for (const secret of ['the secret key', 'the password'])
      expect(everything).not.toContain(secret)
    // On another gateway the destination of the PACS has another id.
    using second = openFolder()
    await applied(second, exported)
    expect((await second.run('config export')).output).toBe(
      exported.split('\n').slice(1).join('\n'),
    )
  })

  it('are changed in the fields that the file has, and keep the secret for the same server', async () => {
    using folder = openFolder()
    await applied(folder, TIERS + SECRETS)
    const more = 'tiers: [{name: Bucket, kind: s3, region: eu-west-1, isEnabled: false}]'
    expect((await applied(folder, more)).output.split('\n')).toEqual([
      'Changed:',
      '~ tier Bucket: region "us-east-1" -> "eu-west-1", isEnabled true -> false',
    ])
    const moved = TIERS.replace('https://rgw', 'https://s3')
    expect((await applied(folder, moved + SECRETS)).output.split('\n')).toEqual([
      'Changed:',
      '~ tier Bucket: endpoint "https://rgw.clinic.example:7480" -> "https://s3.clinic.example:7480"',
      '+ secret tier.Bucket',
    ])
  })

  it('are removed only with --prune, before the destination that they name', async () => {
    using folder = openFolder()
    await applied(folder, TIERS)
    const without = 'destinations: []\ntiers: []'
    expect((await applied(folder, without)).output).toBe('Nothing to change.')
    expect((await applied(folder, without, { prune: true })).output.split('\n')).toEqual([
      'Changed:',
      '- tier Archive',
      '- tier Bucket',
      '- tier Other archive',
      '- destination PACS',
    ])
  })

  it.each([
    ['tiers: [{name: A, kind: s3}]', 'tiers[1].endpoint: is missing'],
    ['tiers: [{name: A, kind: tape}]', 'tiers[1].kind'],
    ['tiers: [{name: A, kind: pacs, destination: None}]', 'no destination is named None'],
    [`${TIERS}  - {name: bucket, kind: dicomweb}`, 'is in the list twice'],
    ['tiers: [{name: A, kind: s3, secret: x}]', 'has no field secret'],
    ['secrets: {tier.None: x}', 'secrets.tier.None'],
    [`${TIERS}secrets: {tier.Archive: x}`, 'secrets.tier.Archive'],
  ])('%j is refused, and the place is named', async (file, expected) => {
    using folder = openFolder()
    const { ok, output } = await applied(folder, file)
    expect({ ok, output }).toEqual({ ok: false, output: expect.stringContaining(expected) })
  })
})

describe('config export', () => {
  it('prints a file that another gateway applies to the same configuration', async () => {
    using first = openFolder()
    using second = openFolder()
    await applied(first, FILE)
    const { output } = await first.run('config export')
    await applied(second, output)
    expect((await second.run('config export')).output).toBe(output)
    expect(await applied(first, output)).toEqual({ ok: true, output: 'Nothing to change.' })
  })
})
