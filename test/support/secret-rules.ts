import { INVENTED_FAMILIES } from './invented-patients.ts'

// What no file of the repository may contain. test/secrets.test.ts applies it to all files,
// scripts/pre-commit.mjs to those that are about to be committed.

export interface Found {
  readonly file: string
  readonly text: string
}

/** Credentials, by their shape. */
export const SECRETS: Readonly<Record<string, RegExp>> = {
  'a private key': /-----BEGIN [A-Z ]*PRIVATE KEY-----\s*[A-Za-z0-9+/]{40}/g,
  'a signing secret': /whsec_[A-Za-z0-9+/]{16,}={0,2}/g,
  'a key or token of ours':
    /(?<![\w/+=.-])(?=[\w-]*\d)(?=[\w-]*[a-z])(?=[\w-]*[A-Z])[A-Za-z0-9_-]{43}(?![\w/+=-])/g,
  'a key of a cloud': /\b(AKIA|ASIA)[0-9A-Z]{16}\b|\bAIza[\w-]{35}\b/g,
  'a token of a forge or a registry':
    /\b(gh[pousr]_|npm_)[A-Za-z0-9]{36}\b|\bgithub_pat_\w{20,}|\bglpat-[\w-]{20,}/g,
  'a token of a chat': /\bxox[abps]-[\w-]{10,}/g,
  'a JSON Web Token': /\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}/g,
}

/** Samples that are no credentials, each with its place. */
const SAMPLES: Readonly<Record<string, string>> = {
  whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw: 'the example of the Standard Webhooks specification',
  'whsec_c2V2ZW4gY2FsbSBvdHRlcnM=': 'seven calm otters, a canary of diagnostics.test.ts',
  whsec_c2VjcmV0LXNlY3JldC1zZWNyZXQtMTIz: '“secret-secret-secret-123”, of store.test.ts',
  'whsec_aXN0aG11cyBiZW5jaCBzZWNyZXQgMDEyMzQ1Njc=':
    '“isthmus bench secret 01234567”, of the simulated partner of a measurement',
}

/** Paths of the machine that somebody works at, and hosts from which its packages come. */
export const MACHINE: Readonly<Record<string, RegExp>> = {
  'a folder of somebody':
    /\/(home|Users)\/(?!clinic\b)[a-z][\w.-]*\/|[A-Z]:\\{1,2}Users\\{1,2}\w+/g,
  'a folder of this machine': /(?<![\w.])\/(tmp\/proof|work\/(main|shared))\b/g,
  'a host that packages come from':
    /\b(registry\.npmjs\.org|registry\.yarnpkg\.com|npm\.pkg\.github\.com|[\w-]+\.jfrog\.io|(artifactory|verdaccio|nexus)\.[a-z][\w-]+)/g,
}

/** What the files have of these forms, a sentence each. */
export function matches(
  forms: Readonly<Record<string, RegExp>>,
  found: readonly Found[],
): string[] {
  return found.flatMap(({ file, text }) =>
    Object.entries(forms).flatMap(([what, form]) =>
      [...text.matchAll(form)]
        .filter(([sample]) => !Object.hasOwn(SAMPLES, sample))
        .map(([one]) => `${file} has ${what}: ${one.slice(0, 24)}…`),
    ),
  )
}

/**
 * Family names of person names as DICOM writes them: two words of letters, the first with a
 * capital, with a caret between.
 */
export function familiesIn(text: string): string[] {
  return [
    ...text.matchAll(
      /(?<![\p{L}\p{N}^\\$[(.])(\p{Lu}[\p{L}'’-]+(?: [\p{Lu}][\p{L}'’-]+| (?:de|la|von|van|den|der))*)\^(?=\p{L}{2})/gu,
    ),
  ].map(([, family = '']) => family.split(' ').at(-1) ?? '')
}

const known = new Set(INVENTED_FAMILIES.map(plainName))

/** Family names in a file that no invented patient has, a sentence each. */
export const unknownFamilies = ({ file, text }: Found): string[] =>
  familiesIn(text)
    .filter((family) => !known.has(plainName(family)))
    .map(
      (family) =>
        `${family}^… in ${file}: is it invented? Then add it to test/support/invented-patients.ts.`,
    )

function plainName(name: string): string {
  return name.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
}
