/** A licence as CycloneDX writes it. */
export type Licence =
  | { readonly license: { readonly id: string } | { readonly name: string } }
  | { readonly expression: string }

/**
 * Licences under which code of others may be in what we ship, by SPDX identifier, and what each
 * asks of us.
 */
export const LICENCES: Readonly<Record<string, string>> = {
  MIT: 'its text goes with the program (THIRD-PARTY-LICENSES.txt)',
  'MIT-0': 'nothing',
  ISC: 'its text goes with the program',
  'BSD-2-Clause': 'its text goes with the program',
  'BSD-3-Clause': 'its text goes with the program; no endorsement is claimed',
  '0BSD': 'nothing',
  'Apache-2.0': 'its text and NOTICE go with the program; the code is not changed',
  'BlueOak-1.0.0': 'its text or a link goes with the program',
  'BSL-1.0': 'nothing for programs that are built',
  Unlicense: 'nothing: public domain',
  Zlib: 'the origin is not misrepresented',
  'OFL-1.1': 'its text goes with the fonts, which are not sold by themselves',
  blessing: 'nothing: SQLite is in the public domain',
  'LicenseRef-DCMTK':
    'its COPYRIGHT has to go with the program (BSD-3-Clause of OFFIS, and libraries of the same kind); dicom-dimse-native does not bring it',
}

/** Packages whose package.json names no licence, by what their LICENSE says. */
const UNNAMED: Readonly<Record<string, string>> = { 'png-js': 'MIT' }

/**
 * As CycloneDX writes it: an identifier, an SPDX expression, or a name. @param license of the lock
 */
export function licenceOf(name: string, license: string): Licence {
  const said = (license || UNNAMED[name]) ?? ''
  if (/\s(AND|OR|WITH)\s/.test(said)) return { expression: said }
  return said.startsWith('LicenseRef-') || said === ''
    ? { license: { name: said || 'unknown' } }
    : { license: { id: said } }
}

/**
 * A sentence where a licence is none of the table. Of a choice (OR) one is enough, of AND each has
 * to be.
 */
export function licenceFault(name: string, licenses: readonly Licence[]): string | undefined {
  const texts = licenses.map((one) =>
    'expression' in one ? one.expression : 'id' in one.license ? one.license.id : one.license.name,
  )
  const wrong = texts.filter((text) => !isAllowed(text))
  return wrong.length > 0 || texts.length === 0
    ? `${name} is under ${wrong.join(', ') || 'no licence'}, which is not in LICENCES (packaging/licence-rules.ts): may it be shipped?`
    : undefined
}

function isAllowed(text: string): boolean {
  const plain = text.replace(/^\((.*)\)$/, '$1')
  if (plain.includes(' OR ')) return plain.split(' OR ').some(isAllowed)
  if (plain.includes(' AND ')) return plain.split(' AND ').every(isAllowed)
  return Object.hasOwn(LICENCES, plain)
}
