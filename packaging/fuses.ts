import {
  type FuseConfig,
  FuseState,
  FuseV1Options,
  FuseVersion,
  getCurrentFuseWire,
} from '@electron/fuses'

/**
 * Every fuse of Electron 45 and its setting. A fuse that is not listed here breaks
 * the build.
 */
export const FUSES = {
  // ELECTRON_RUN_AS_NODE would make the signed program run anybody's script.
  RunAsNode: false,
  EnableCookieEncryption: true,
  EnableNodeOptionsEnvironmentVariable: false,
  EnableNodeCliInspectArguments: false,
  EnableEmbeddedAsarIntegrityValidation: true,
  OnlyLoadAppFromAsar: true,
  LoadBrowserProcessSpecificV8Snapshot: false,
  // The window is loaded from the gateway by HTTP, nothing from a file.
  GrantFileProtocolExtraPrivileges: false,
  // Off, the image decoders would check every access.
  WasmTrapHandlers: true,
} as const satisfies Record<keyof typeof FuseV1Options, boolean>

const NAMES = Object.keys(FUSES) as (keyof typeof FUSES)[]

/** For `flipFuses`: all of them, and an error for one that is not named. */
export const fuseConfig = (isMac: boolean): FuseConfig => ({
  version: FuseVersion.V1,
  strictlyRequireAllFuses: true,
  // Written to, an unsigned program of Apple silicon does not start until it is signed anew.
  resetAdHocDarwinSignature: isMac,
  ...(Object.fromEntries(NAMES.map((name) => [FuseV1Options[name], FUSES[name]])) as Record<
    FuseV1Options,
    boolean
  >),
})

/** What differs from the table in a built program; empty where nothing does. */
export async function faultsOfFuses(executable: string): Promise<string[]> {
  const wire = await getCurrentFuseWire(executable)
  const known = NAMES.filter(
    (name) => wire[FuseV1Options[name]] !== (FUSES[name] ? FuseState.ENABLE : FuseState.DISABLE),
  )
  const unknown = Object.keys(wire).filter(
    (key) => /^\d+$/.test(key) && Number(key) >= NAMES.length,
  )
  return [
    ...known.map((name) => `The fuse ${name} is not ${FUSES[name] ? 'on' : 'off'}.`),
    ...unknown.map(
      (key) => `This Electron has a fuse ${key} that packaging/fuses.ts does not know.`,
    ),
  ]
}
