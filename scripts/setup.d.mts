/** Why Electron's binary is missing, after ten seconds of trying to fetch it; undefined where it is there. */
export declare function missingElectronBinary(): string | undefined
