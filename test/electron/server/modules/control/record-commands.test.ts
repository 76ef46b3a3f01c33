import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { DATA_COMMANDS } from '#server/modules/control/commands.ts'
import { schemaOptions } from '#server/modules/control/schema-options.ts'
import { listDevices } from '#server/modules/devices/device-queries.ts'
import { recordUnknownCall } from '#server/modules/devices/devices.ts'
import { listDestinations } from '#server/modules/forwarding/destination-queries.ts'
import { DestinationPatch, NewDestination } from '#shared/contract/destinations.ts'
import { DevicePatch, NewDevice } from '#shared/contract/devices.ts'
import { openFolder } from './commands-fixture.ts'

describe('options of a schema', () => {
  it.each([
    ['device add', NewDevice],
    ['device update', DevicePatch],
    ['destination add', NewDestination],
    ['destination update', DestinationPatch],
  ])('%s has one for each field of the contract, with a sentence', (name, schema) => {
    const options = DATA_COMMANDS[name]?.options ?? {}
    expect(Object.keys(options)).toHaveLength(Object.keys(schema.shape).length)
    for (const [option, { about }] of Object.entries(options)) expect(about, option).toMatch(/\.$/)
  })

  const made = schemaOptions(
    z.object({
      isOpen: z.boolean().default(true),
      daysBack: z.int().min(0).max(31).nullable().default(null),
      tags: z.array(z.string()).max(3).default([]),
      inner: z.object({ hostName: z.string().max(5) }),
    }),
  )

  it('reads flags, numbers, lists, nested fields and the word none', () => {
    expect(Object.keys(made.options)).toEqual(['open', 'days-back', 'tags', 'inner-host-name'])
    expect(
      made.read({ open: false, 'days-back': '7', tags: 'a, b,', 'inner-host-name': 'x' }),
    ).toEqual({ isOpen: false, daysBack: 7, tags: ['a', 'b'], inner: { hostName: 'x' } })
    for (const none of ['none', ''])
      expect(made.read({ 'days-back': none, tags: none, 'inner-host-name': 'none' })).toMatchObject(
        { daysBack: null, tags: [], inner: { hostName: 'none' } },
      )
  })

  it.each([
    [
      { 'days-back': '32', 'inner-host-name': 'x' },
      '--days-back',
      'must be a whole number from 0 to 31, or none',
    ],
    [
      { 'days-back': 'many', 'inner-host-name': 'x' },
      '--days-back',
      'must be a whole number from 0 to 31, or none',
    ],
    [
      { tags: 'a,b,c,d', 'inner-host-name': 'x' },
      '--tags',
      'must be at most 3 values joined with commas, or none',
    ],
    [
      { 'inner-host-name': 'too long' },
      '--inner-host-name',
      'must be a text of at most 5 characters',
    ],
  ])('says of %j what the option takes', (options, path, message) => {
    expect(() => made.read(options)).toThrow(
      expect.objectContaining({ errors: [{ path, message }] }),
    )
  })
})

describe('device', () => {
  it('is added, listed, changed and removed by its AE title', async () => {
    using folder = openFolder()
    const added = await folder.run('device add', {
      options: { 'ae-title': 'CT1', 'days-back': '3', enabled: false, modality: 'ct' },
    })
    expect(added.ok).toBe(true)
    const listed = await folder.run('device list')
    expect(listed.output).toMatch(
      /^ID +AE TITLE +ADDRESS +MODALITY +NAME +ENABLED +LAST SEEN\n\S{36} +CT1 +any +CT +- +no +never$/,
    )
    const changed = await folder.run('device update', {
      arguments: ['ct1'],
      options: { 'days-back': 'none', enabled: true, name: 'CT, room 1' },
    })
    expect(changed).toEqual({ ok: true, output: added.output })
    const { output } = await folder.run('device list', { options: { json: true } })
    expect(JSON.parse(output)).toMatchObject([
      { aeTitle: 'CT1', daysBack: null, isEnabled: true, name: 'CT, room 1', modality: 'CT' },
    ])
    expect(await folder.run('device remove', { arguments: ['CT, room 1'] })).toEqual(added)
    expect(listDevices(folder.context.database)).toEqual([])
  })

  it('is refused with the option, the fault and the remedy', async () => {
    using folder = openFolder()
    const add = (options: Record<string, string>) => folder.run('device add', { options })
    expect((await add({})).output).toMatch(/\n {2}--ae-title: is missing: it takes a text/)
    expect((await add({ 'ae-title': 'CT1', profile: 'x' })).output).toMatch(
      /--profile: must be one of standard, ge, philips$/,
    )
    await add({ 'ae-title': 'CT1' })
    expect((await add({ 'ae-title': 'CT1' })).output).toMatch(
      /^Another device already has the AE title CT1\. Enter another AE title or an address\.\n {2}--ae-title: must differ from that of CT1/,
    )
    await add({ 'ae-title': 'CT1', address: '10.0.3.17' })
    expect((await folder.run('device remove', { arguments: ['CT1'] })).output).toBe(
      '2 devices are called “CT1”: name one by its id, as device list shows it.',
    )
    expect((await folder.run('device update', { arguments: ['MR9'] })).output).toBe(
      'There is no device “MR9”. device list shows them.',
    )
    expect((await folder.run('device update')).output).toMatch(/^device update takes one device/)
    const [device] = listDevices(folder.context.database)
    expect(
      (await folder.run('device update', { arguments: [device?.deviceId ?? ''] })).output,
    ).toBe('Nothing to change was given. device update --help lists the options.')
    expect((await folder.run('device add', { arguments: ['CT2'] })).output).toMatch(
      /^device add takes options only; “CT2” is none/,
    )
  })
})

describe('an unknown device', () => {
  it('is listed, and approved by its AE title and address', async () => {
    using folder = openFolder()
    const { context } = folder
    const call = { aeTitle: 'CT1', calledAeTitle: 'ISTHMUS', services: ['Modality Worklist'] }
    await recordUnknownCall(context, { ...call, address: '10.0.3.17' })
    await recordUnknownCall(context, { ...call, address: '10.0.3.18' })
    expect((await folder.run('device unknown')).output).toMatch(
      /^AE TITLE +ADDRESS +CALLED +ATTEMPTS +FIRST +LAST +REQUESTED\nCT1 +10\.0\.3\.1[78] +ISTHMUS +1 +\S+ +\S+ +Modality Worklist\n/,
    )
    const approve = (words: string[], options = {}) =>
      folder.run('device approve', { arguments: words, options })
    expect((await approve([])).output).toMatch(/^device approve takes one AE title/)
    expect((await approve(['MR9'])).output).toBe(
      'No unknown device “MR9” has connected. device unknown shows them.',
    )
    expect((await approve(['ct1'])).output).toBe(
      '2 unknown devices use the AE title “ct1”: name one by --address, as device unknown shows it.',
    )
    const approved = await approve(['ct1'], {
      address: '10.0.3.17',
      name: 'CT, room 1',
      modality: 'ct',
    })
    expect(approved.ok).toBe(true)
    expect(listDevices(context.database)).toMatchObject([
      { deviceId: approved.output, aeTitle: 'CT1', address: '10.0.3.17', modality: 'CT' },
    ])
    expect(context.audit.list({ limit: 1 }).items).toMatchObject([
      { actor: 'command-line', action: 'device.add', target: approved.output },
    ])
    const { output } = await folder.run('device unknown', { options: { json: true } })
    expect(JSON.parse(output)).toMatchObject([{ aeTitle: 'CT1', address: '10.0.3.18' }])
    await recordUnknownCall(context, { ...call, aeTitle: 'X\u001b[2J', address: '10.0.3.19' })
    expect((await folder.run('device unknown')).output).toContain('X?[2J')
  })
})

describe('destination', () => {
  const PACS = { name: 'PACS', 'ae-title': 'ARCHIVE', host: 'pacs.clinic.example', port: '104' }

  it('is added, listed, changed and removed by its name', async () => {
    using folder = openFolder()
    const added = await folder.run('destination add', {
      options: { ...PACS, tls: true, modalities: 'ct,mr', automatic: true },
    })
    expect(added.ok).toBe(true)
    expect((await folder.run('destination list')).output).toMatch(
      /\n\S{36} +PACS +ARCHIVE +pacs\.clinic\.example +104 +yes +yes +yes +0 +0$/,
    )
    await folder.run('destination update', {
      arguments: ['pacs'],
      options: { modalities: 'none', 'has-priors': true },
    })
    const { output } = await folder.run('destination list', { options: { json: true } })
    expect(JSON.parse(output)).toMatchObject([
      { port: 104, isTls: true, isAutomatic: true, modalities: [], hasPriors: true },
    ])
    expect(await folder.run('destination remove', { arguments: ['ARCHIVE'] })).toEqual(added)
    expect(listDestinations(folder.context.database)).toEqual([])
  })

  it('is refused with the option, the fault and the remedy', async () => {
    using folder = openFolder()
    expect((await folder.run('destination add', { options: { ...PACS, port: '0' } })).output).toBe(
      'The command was not carried out.\n  --port: must be a whole number from 1 to 65535',
    )
    expect(
      (await folder.run('destination add', { options: { ...PACS, 'certificate-file': 'x' } }))
        .output,
    ).toMatch(/--certificate-file: must be a certificate in PEM format$/)
    expect(
      (await folder.run('destination add', { options: { ...PACS, modalities: 'CT,c-t' } })).output,
    ).toMatch(/--modalities: must be a DICOM modality such as CT$/)
    expect(listDestinations(folder.context.database)).toEqual([])
  })
})
