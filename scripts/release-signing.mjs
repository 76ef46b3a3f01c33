// node scripts/release-signing.mjs: fails where a variable that signs the installers of this system
// is missing. Run by .github/workflows/release.yml before it packages. The variables are those of
// electron-builder (docs/INSTALL.md).
import { pathToFileURL } from 'node:url'

/**
 * By platform. Packages for Linux have no signature of their own: SHA256SUMS and the build
 * provenance cover them.
 */
const VARIABLES = {
  darwin: [
    'CSC_LINK',
    'CSC_KEY_PASSWORD',
    'APPLE_ID',
    'APPLE_APP_SPECIFIC_PASSWORD',
    'APPLE_TEAM_ID',
  ],
  win32: ['CSC_LINK', 'CSC_KEY_PASSWORD'],
  linux: [],
}

/** Names of the variables that are missing or empty. */
export function missingSigning(platform, environment) {
  return (VARIABLES[platform] ?? []).filter((name) => !environment[name]?.trim())
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const missing = missingSigning(process.platform, process.env)
  for (const name of missing)
    console.error(
      `${name} is missing: a release is signed. docs/RELEASING.md, "Secrets", says where it is set.`,
    )
  process.exit(missing.length > 0 ? 1 : 0)
}
