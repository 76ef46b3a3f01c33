import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { app } from 'electron'

/** Starts the app without its window. */
export const HIDDEN_OPTION = '--hidden'

/**
 * Desktop Application Autostart Specification: a file of the user overrides a system file with the
 * same name.
 */
const ENTRY_PATH = ['autostart', 'isthmus.desktop'] as const
const HIDDEN_ENTRY = '[Desktop Entry]\nType=Application\nName=Isthmus\nHidden=true\n'

export interface Autostart {
  isOn(): boolean
  /** @throws Error if the operating system refuses */
  set(on: boolean): void
  /** Whether the operating system started this process at login. */
  startedIt(): boolean
}

/**
 * Manages starting at login: the login items of Windows and macOS, or an XDG autostart file on
 * Linux.
 * @param argv arguments of this process
 * @param command the program to start, followed by the app folder if unpackaged
 */
export function openAutostart(
  platform: NodeJS.Platform,
  env: NodeJS.ProcessEnv,
  argv: readonly string[],
  command: readonly string[],
): Autostart {
  const wasHidden = () => argv.includes(HIDDEN_OPTION)
  if (platform === 'linux') {
    const userEntry = join(
      env.XDG_CONFIG_HOME || join(env.HOME || homedir(), '.config'),
      ...ENTRY_PATH,
    )
    const systemEntries = (env.XDG_CONFIG_DIRS || '/etc/xdg')
      .split(':')
      .map((folder) => join(folder, ...ENTRY_PATH))
    const file = () => [userEntry, ...systemEntries].find((one) => existsSync(one))
    return {
      isOn: () => isEnabledIn(file()),
      set(on) {
        rmSync(userEntry, { force: true })
        // A system-wide entry is disabled for one user by a file of that user that hides it.
        if (on || isEnabledIn(file()))
          write(userEntry, on ? desktopEntry(commandOf(env, command)) : HIDDEN_ENTRY)
      },
      startedIt: wasHidden,
    }
  }
  const [path, ...before] = command
  const item = { ...(path !== undefined && { path }), args: [...before, HIDDEN_OPTION] }
  return {
    isOn: () => app.getLoginItemSettings(item).openAtLogin,
    set: (on) => app.setLoginItemSettings({ ...item, openAtLogin: on }),
    // macOS does not pass arguments to login items.
    startedIt: () =>
      wasHidden() || (platform === 'darwin' && app.getLoginItemSettings(item).wasOpenedAtLogin),
  }
}

/** An AppImage is mounted at a different path at each start, so its own path is used. */
const commandOf = (env: NodeJS.ProcessEnv, command: readonly string[]) =>
  env.APPIMAGE ? [env.APPIMAGE] : command

/**
 * Desktop Entry Specification 1.5, “The Exec key”: arguments are quoted, and percent signs doubled.
 */
export function desktopEntry(command: readonly string[]): string {
  // String values in the file escape backslashes once more.
  const quoted = [...command, HIDDEN_OPTION].map((part) =>
    `"${part.replace(/(["`$\\])/g, '\\$1').replaceAll('%', '%%')}"`.replaceAll('\\', '\\\\'),
  )
  return [
    '[Desktop Entry]',
    'Type=Application',
    'Version=1.5',
    'Name=Isthmus',
    'Comment=Serves the imaging devices of the clinic',
    `Exec=${quoted.join(' ')}`,
    'Terminal=false',
    'X-GNOME-Autostart-enabled=true',
    '',
  ].join('\n')
}

/** The desktop's settings may have disabled the entry in the file. */
const isEnabledIn = (file: string | undefined): boolean =>
  file !== undefined &&
  !/^(Hidden=true|X-GNOME-Autostart-enabled=false)\s*$/m.test(readFileSync(file, 'utf8'))

function write(file: string, entry: string): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, entry)
}
