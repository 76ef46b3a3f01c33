import { describe, expect, it } from 'vitest'
import { SETTING_KEYS, SETTINGS } from '#shared/contract/settings.ts'
import { verbatim } from '#shared/messages/message.ts'
import {
  changesOf,
  faultOf,
  faultsBySetting,
  filterSettings,
  groupsOf,
  kindOf,
  labelOf,
  type SettingRow,
} from '../../../../renderer/src/features/settings/fields.ts'
import { settingName } from '../../../../renderer/src/features/settings/setting-names.ts'

const row = (key: string, value: SettingRow['value'], initial = value): SettingRow => ({
  key,
  value,
  initial,
  about: verbatim(''),
  needsRestart: false,
})
const all = SETTING_KEYS.map((key) => row(key, SETTINGS[key].initial as SettingRow['value']))

describe('the settings screen', () => {
  it('shows every setting once, in a named group', () => {
    const groups = groupsOf(all)
    expect(groups.map(({ name }) => name)).toEqual([
      ...[
        'clinic',
        'worklist',
        'dimse',
        'intake',
        'commitment',
        'forwarding',
        'tiers',
        'lifecycle',
        'reports',
        'criticals',
        'dictation',
        'partner',
        'events',
        'http',
        'https',
        'window',
        'oidc',
        'mail',
        'viewer',
        'dicomweb',
        'sandbox',
        'audit',
        'otlp',
        'activity',
        'backup',
        'update',
        'setup',
        'inspector',
      ],
    ])
    expect(groups.flatMap(({ rows }) => rows.map(({ key }) => key)).sort()).toEqual(
      [...SETTING_KEYS].sort(),
    )
  })

  it('puts settings it does not know in a group of their own, named by their key', () => {
    expect(groupsOf([row('moonPhase.minDays', 3)])).toMatchObject([
      { name: 'moonPhase', title: 'Moon phase' },
    ])
    expect(labelOf('moonPhase.minDays')).toBe('Min days')
    expect(kindOf(row('moonPhase.minDays', 3)).kind).toBe('number')
    expect(faultOf('moonPhase.minDays', 'x')).toBeUndefined()
  })

  it('gives every known setting a name of its own within its group', () => {
    for (const { rows } of groupsOf(all)) {
      const labels = rows.map(({ key }) => labelOf(key))
      expect(new Set(labels).size).toBe(labels.length)
    }
  })
})

it('has words of its own for every setting', () => {
  expect(SETTING_KEYS.filter((key) => settingName(key) === undefined)).toEqual([])
})

describe('the control of a setting', () => {
  it.each([
    ['dimse.allowUnknownDevices', { kind: 'switch' }],
    ['dimse.calledAePolicy', { kind: 'choice', options: ['warn', 'strict'] }],
    ['dimse.port', { kind: 'number', min: 0, max: 65_535, isWhole: true }],
    ['worklist.freshSeconds', { kind: 'number', min: 0, max: 300, isWhole: false }],
    ['http.allowedHosts', { kind: 'list' }],
    ['reports.letterhead', { kind: 'lines' }],
    ['reports.destinationId', { kind: 'destination' }],
    ['http.publicUrl', { kind: 'text', isNullable: true }],
    ['dimse.tlsPort', { kind: 'number', min: 0, max: 65_535, isWhole: true }],
    ['dimse.tlsAuthorities', { kind: 'block' }],
    ['intake.areas', { kind: 'choices', options: ['scribe', 'viewer'] }],
    ['dimse.aeTitle', { kind: 'text', isNullable: false }],
    ['clinic.timeZone', { kind: 'zone' }],
    ['clinic.id', { kind: 'id' }],
  ] as const)('of %s is read off its schema', (key, kind) => {
    expect(kindOf(row(key, SETTINGS[key].initial as SettingRow['value']))).toEqual(kind)
  })
})

describe('a change of settings', () => {
  it('holds only what differs from the gateway’s value', () => {
    const rows = [
      row('dimse.port', 11_112),
      row('http.allowedHosts', ['a']),
      row('http.publicUrl', null),
    ]
    expect(changesOf(rows, { 'dimse.port': 104, 'http.allowedHosts': ['a'] })).toEqual({
      'dimse.port': 104,
    })
    expect(
      changesOf([row('http.publicUrl', 'https://a.example')], { 'http.publicUrl': null }),
    ).toEqual({ 'http.publicUrl': null })
  })

  it('is judged in the window by the schema the gateway uses', () => {
    expect(faultOf('dimse.port', 104)).toBeUndefined()
    expect(faultOf('dimse.port', 99_999)).toContain('65535')
    expect(faultOf('dimse.aeTitle', 'A\\B')).toBe(
      'must be 1 to 16 ASCII characters without a backslash',
    )
  })

  it('that is refused puts each fault at its setting, though keys hold dots', () => {
    const faults = faultsBySetting([
      { path: 'body.settings.dimse.port', explanation: verbatim('is taken') },
      { path: 'body.settings.http.allowedHosts.1', explanation: verbatim('is no host') },
      { path: 'body', explanation: verbatim('is empty') },
    ])
    expect(faults).toEqual({
      'dimse.port': 'is taken',
      'http.allowedHosts': 'is no host',
      body: 'is empty',
    })
  })
})

describe('the settings that are shown', () => {
  const keysOf = (search: string, isAdvanced = false, rows = all) =>
    filterSettings(rows, { search, isAdvanced }).map(({ key }) => key)

  it('are the basic ones, and on request all', () => {
    expect(keysOf('')).toContain('clinic.name')
    expect(keysOf('')).not.toContain('dimse.artimSeconds')
    expect(keysOf('', true)).toEqual(all.map(({ key }) => key))
  })

  it('include advanced ones that are not at their initial value', () => {
    const changed = row('dimse.artimSeconds', 45, 30)
    expect(keysOf('', false, [changed])).toEqual(['dimse.artimSeconds'])
  })

  it('are found by words of name, description and key, advanced ones too', () => {
    expect(keysOf('PORT tls')).toEqual(['dimse.tlsPort'])
    expect(keysOf('artimSeconds')).toEqual(['dimse.artimSeconds'])
    expect(keysOf('no such setting')).toEqual([])
  })
})
