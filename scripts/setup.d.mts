/**
 * Why Electron's binary is missing, after ten seconds of trying to fetch it; undefined where it is
 * there.
 */
export declare function missingElectronBinary(): string | undefined
/** The folder of the project. */
export declare const root: string
/** Whether dist/ is newer than every source. */
export declare function isBuilt(): boolean

/** Makes git run .githooks in a checkout, unless it is CI's or has hooks of its own. */
export declare function installGitHooks(
  folder: string,
  env?: Readonly<Record<string, string | undefined>>,
): void
