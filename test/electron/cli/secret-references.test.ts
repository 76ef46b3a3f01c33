import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { parse } from 'yaml'
import { withSecrets } from '#electron/cli/secret-references.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'isthmus-secrets-'))
  writeFileSync(join(folder, 'mail'), 'two words: # and more\n')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const resolved = (text: string) => parse(withSecrets(text, folder, { OIDC: 'of the "shell"' }))

it('reads secrets from the environment and from files beside the configuration', () => {
  expect(
    resolved(`
settings: {clinic.name: North}
secrets:
  oidc.clientSecret: {env: OIDC}
  mail.password: {file: mail}
`),
  ).toEqual({
    settings: { 'clinic.name': 'North' },
    secrets: { 'oidc.clientSecret': 'of the "shell"', 'mail.password': 'two words: # and more' },
  })
})

it.each([
  ['secrets: {a: typed in}', /a secret does not stand in the file/],
  ['secrets: {a: {env: OIDC, file: mail}}', /has to be/],
  ['secrets: {a: {env: MISSING}}', /the environment has no MISSING/],
  ['secrets: {a: {file: missing}}', /missing cannot be read/],
])('refuses %s', (text, why) => {
  expect(() => resolved(text)).toThrow(why)
})

it.each(['settings: {}', 'not: [closed', 'secrets: text'])('leaves %s to the gateway', (text) => {
  expect(withSecrets(text, folder, {})).toBe(text)
})
