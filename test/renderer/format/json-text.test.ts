import { expect, it } from 'vitest'
import { endpointName } from '../../../renderer/src/format/endpoint-name.ts'
import { prettyJson } from '../../../renderer/src/format/json-text.ts'

it('lays JSON out, and leaves what is none as it came', () => {
  expect(prettyJson('{"a":[1]}')).toBe('{\n  "a": [\n    1\n  ]\n}')
  expect(prettyJson('<html>')).toBe('<html>')
})

it('lays out JSON whose end was cut off as far as it goes', () => {
  expect(prettyJson('{"a":[1,{"b, {":"x:\\"y"},[ ]],"c":"cut o')).toBe(
    [
      '{',
      '  "a": [',
      '    1,',
      '    {',
      '      "b, {": "x:\\"y"',
      '    },',
      '    []',
      '  ],',
      '  "c": "cut o',
    ].join('\n'),
  )
  expect(prettyJson('[1, 2,')).toBe('[\n  1,\n  2,\n  ')
})

it('calls an endpoint by its name, its key, or its host', () => {
  const endpoint = {
    name: '',
    isDefault: false,
    apiKey: null,
    url: 'https://ris.example:8443/hook',
  }
  expect(endpointName({ ...endpoint, name: 'RIS' })).toBe('RIS')
  expect(
    endpointName({ ...endpoint, apiKey: { apiKeyId: '', description: 'Cloud reading' } }),
  ).toBe('Cloud reading')
  expect(endpointName({ ...endpoint, isDefault: true })).toBe('Partner')
  expect(endpointName(endpoint)).toBe('ris.example:8443')
})
