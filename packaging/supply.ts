import { ACCEPTED, type AcceptedAdvisory } from './accepted-advisories.ts'
import type { Lock, LockedPackage, Manifest } from './lock.ts'

/**
 * Packages that want to run a script when they are installed. None does: .npmrc has
 * `ignore-scripts`. Why each is no loss.
 */
export const INSTALL_SCRIPTS: Readonly<Record<string, string>> = {
  '@scarf/scarf': 'counts downloads for swagger-ui-dist; nothing of it is wanted',
  'core-js-pure': 'asks for donations',
  'dicom-dimse-native':
    'fetches or compiles its binary: scripts/native.mjs does that, when it is asked to',
  'electron-winstaller': 'picks a 7-Zip for Squirrel installers, which are not made',
}

/**
 * What we build and test with. Every other package of package.json is in what we ship, or may be.
 */
const TOOLS: readonly RegExp[] = [
  /^@(actions|biomejs|playwright|seriousme|stryker-mutator|textlint|types|vitejs)\//,
  /^@electron\/fuses$/,
  /^(axe-core|dicomweb-client|electron-builder|fast-check|marked|oidc-provider|s3rver|smtp-server|typescript|vite|vitest)$/,
  // Of the machine that builds; the service brings its own Node, which is a component of its own
  // (sbom.ts).
  /^node-(linux|win)-/,
]
export const isTool = (name: string): boolean => TOOLS.some((form) => form.test(name))

/** Packages that are shipped, or may be, with all that they need. */
export function shippedOf(
  { dependencies, devDependencies }: Manifest,
  lock: Lock,
): ReadonlySet<LockedPackage> {
  return lock.closure(
    Object.keys({ ...dependencies, ...devDependencies }).filter((name) => !isTool(name)),
  )
}

const EXACT = /^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/
const SHA512 = /^sha512-[A-Za-z0-9+/]{86}==$/

/**
 * What is wrong with how packages are named and locked, a sentence each. @param npmrc text of
 * .npmrc
 */
export function faultsOfSupply(manifest: Manifest, lock: Lock, npmrc: string): string[] {
  const { dependencies, devDependencies, optionalDependencies, overrides, allowScripts } = manifest
  const own = { ...dependencies, ...devDependencies, ...optionalDependencies }
  const forced = Object.entries(overrides).flatMap(([name, to]) =>
    Object.entries(typeof to === 'string' ? { [name]: to } : to),
  )
  const packages = [...lock.packages.values()]
  const scripted = new Set(
    packages.filter(({ hasInstallScript }) => hasInstallScript).map(({ name }) => name),
  )
  return [
    ...[...Object.entries(own), ...forced]
      .filter(([, version]) => !EXACT.test(version))
      .map(
        ([name, version]) => `package.json names ${name} as ${version}: name one version exactly.`,
      ),
    ...Object.entries(own)
      .filter(([name, version]) => EXACT.test(version) && lock.find('', name)?.version !== version)
      .map(
        ([name, version]) =>
          `package-lock.json has ${name} ${lock.find('', name)?.version ?? 'not at all'}, package.json ${version}.`,
      ),
    ...packages
      .filter(({ integrity }) => !SHA512.test(integrity))
      .map(({ path }) => `package-lock.json has no SHA-512 of ${path}: install it again.`),
    ...packages
      .filter(({ resolved }) => resolved !== '')
      .map(
        ({ path }) =>
          `package-lock.json says from where ${path} comes: leave that to whoever installs (omit-lockfile-registry-resolved).`,
      ),
    ...[...scripted]
      .filter((name) => !Object.hasOwn(INSTALL_SCRIPTS, name))
      .map(
        (name) =>
          `${name} wants to run a script when it is installed: say in INSTALL_SCRIPTS why it need not.`,
      ),
    ...Object.keys(INSTALL_SCRIPTS)
      .filter((name) => !scripted.has(name))
      .map((name) => `${name} runs no script any more: take it out of INSTALL_SCRIPTS.`),
    ...Object.entries(allowScripts)
      .filter(([, isAllowed]) => isAllowed)
      .map(([name]) => `package.json lets ${name} run scripts when it is installed.`),
    ...(/^ignore-scripts\s*=\s*true\s*$/m.test(npmrc)
      ? []
      : ['.npmrc does not say ignore-scripts=true.']),
  ]
}

/** `npm audit --json`, report version 2, as far as it is used. */
export interface AuditReport {
  readonly vulnerabilities: Readonly<Record<string, Vulnerability>>
}
interface Vulnerability {
  readonly name: string
  readonly severity: string
  /** An advisory, or the name of the package through which it comes. */
  readonly via: readonly (
    | string
    | { readonly url: string; readonly title: string; readonly severity: string }
  )[]
  /** Paths in the lock. */
  readonly nodes: readonly string[]
}

export interface Judgement {
  /** Each ends the audit with 1. */
  readonly faults: readonly string[]
  readonly notes: readonly string[]
}

/**
 * What the registry's answer means for us: what is shipped is a fault unless it is accepted, what
 * we build with is a note. @param today YYYY-MM-DD
 */
export function judge(
  report: AuditReport,
  shipped: ReadonlySet<string>,
  today: string,
  table: readonly AcceptedAdvisory[] = ACCEPTED,
): Judgement {
  const found = Object.values(report.vulnerabilities).flatMap(({ name, via, nodes }) =>
    via
      .filter((one) => typeof one !== 'string')
      .map(({ url, title, severity }) => ({
        ...{
          name,
          title,
          severity,
          advisory: url.slice(url.lastIndexOf('/') + 1),
          isShipped: nodes.some((path) => shipped.has(path)),
        },
      })),
  )
  const acceptance = (advisory: string, name: string) =>
    table.find((one) => one.advisory === advisory && one.package === name)
  const faults: string[] = []
  const notes: string[] = []
  for (const { name, title, severity, advisory, isShipped } of found) {
    const one = acceptance(advisory, name)
    const sentence = `${name}: ${title} (${severity}, ${advisory})`
    if (one && one.until >= today)
      notes.push(`${sentence}; accepted until ${one.until}: ${one.reason}`)
    else if (one) faults.push(`${sentence}; it was accepted until ${one.until}: ${one.reason}`)
    else if (isShipped) faults.push(sentence)
    else notes.push(`${sentence}; not shipped, we build or test with it`)
  }
  const gone = table.filter(
    ({ advisory, package: name }) =>
      !found.some((one) => one.advisory === advisory && one.name === name),
  )
  return {
    faults,
    notes: [
      ...notes,
      ...gone.map(
        (one) => `${one.package}: ${one.advisory} is no longer found: take it out of the table.`,
      ),
    ],
  }
}
