import { globSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import MESSAGES from '#shared/messages/en.json' with { type: 'json' }
import { ACTION_GROUPS, actionText } from '../../../../renderer/src/format/audit-actions.ts'

const NAME = /'([a-z-]+\.[a-z-]+)'/g
const NOTE = /\bnote\([^;]*?\)\n/g
/** Settings, files, event types and fields that are named as acts are. */
const OTHERS = new Set([
  'report.delivered',
  'invitation.mail',
  'correction.reject',
  'clinic.id',
  'clinic.name',
  'backup.folder',
  'backup.json',
  'reports.letterhead',
  'reports.paper',
  'dictation.url',
  'dictation.model',
  'oidc.accounts',
  'oidc.issuer',
  'otlp.authorization',
  'otlp.url',
])
const isOther = (name: string) =>
  OTHERS.has(name) || /^(mail\.(?!password)|recovery\.(?!import|discard))/.test(name)

const namesIn = (text: string) => [...text.matchAll(NAME)].map(([, name = '']) => name)

/** The acts that the gateway may write into the trail, as its source has them. */
function actsOfSource(): Set<string> {
  const sources = globSync('electron/**/*.ts').map((file) => readFileSync(file, 'utf8'))
  const noted = sources.flatMap((text) => [
    ...(text.match(NOTE) ?? []).flatMap(namesIn),
    ...[...text.matchAll(/\baction: '([a-z-]+\.[a-z-]+)'/g)].map(([, name = '']) => name),
    // Constants of the audit log.
    ...[...text.matchAll(/^export const [A-Z_]+ = '(audit\.[a-z-]+)'/gm)].map(
      ([, name = '']) => name,
    ),
    // Handed on by a function of the file.
    ...(/\bnote\(/.test(text) && /\baction: string/.test(text) ? namesIn(text) : []),
  ])
  const nouns = new Set(noted.map((name) => name.split('.')[0]))
  const all = sources.flatMap((text) => (/\bnote\(|audit\.append/.test(text) ? namesIn(text) : []))
  return new Set(
    [...noted, ...all.filter((name) => nouns.has(name.split('.')[0]))].filter(
      (name) => !isOther(name) && !Object.hasOwn(MESSAGES, name),
    ),
  )
}

it('has words for every act that the gateway keeps', () => {
  const acts = actsOfSource()
  expect(acts.size).toBeGreaterThan(80)
  expect([...acts].filter((act) => actionText(act) === undefined)).toEqual([])
})

it('offers no act that nothing keeps, and each once', () => {
  const acts = actsOfSource()
  // Entries of earlier versions have it.
  acts.add('images.acknowledge-mismatch')
  const offered = ACTION_GROUPS.flatMap(({ acts: some }) => some.map(([action]) => action))
  // Made of its parts: `invitation.${move}`.
  const made = ['invitation.reject', 'invitation.revoke']
  expect(offered.filter((action) => !acts.has(action) && !made.includes(action))).toEqual([])
  expect(new Set(offered).size).toBe(offered.length)
})
