import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { app } from 'electron'

/** It starts without its window. */
export const HIDDEN = '--hidden'

/**
 * Desktop Application Autostart Specification: a file of the user replaces one of the system with
 * the same name.
 */
const ENTRY = ['autostart', 'isthmus.desktop'] as const
const HIDDEN_ENTRY = '[Desktop Entry]\nType=Application\nName=Isthmus\nHidden=true\n'

export interface Autostart {
  isOn(): boolean
  /** @throws Error where the system does not let it */
  set(on: boolean): void
  /** Whether the system started it when somebody signed in. */
  startedIt(): boolean
}

/**
 * Starting when somebody signs in: the system's own list on Windows and macOS, an XDG autostart
 * file of ours on Linux.
 * @param argv of this start
 * @param command the program to start, and before packaging the folder of the app
 */
export function openAutostart(
  platform: NodeJS.Platform,
  env: NodeJS.ProcessEnv,
  argv: readonly string[],
  command: readonly string[],
): Autostart {
  const wasHidden = () => argv.includes(HIDDEN)
  if (platform === 'linux') {
    const own = join(env.XDG_CONFIG_HOME || join(env.HOME || homedir(), '.config'), ...ENTRY)
    const ofAll = (env.XDG_CONFIG_DIRS || '/etc/xdg')
      .split(':')
      .map((folder) => join(folder, ...ENTRY))
    const file = () => [own, ...ofAll].find((one) => existsSync(one))
    return {
      isOn: () => isOnIn(file()),
      set(on) {
        rmSync(own, { force: true })
        // One for all who sign in is switched off for one of them by a file that hides it.
        if (on || isOnIn(file()))
          write(own, on ? desktopEntry(commandOf(env, command)) : HIDDEN_ENTRY)
      },
      startedIt: wasHidden,
    }
  }
  const [path, ...before] = command
  const item = { ...(path !== undefined && { path }), args: [...before, HIDDEN] }
  return {
    isOn: () => app.getLoginItemSettings(item).openAtLogin,
    set: (on) => app.setLoginItemSettings({ ...item, openAtLogin: on }),
    // macOS passes no arguments to what it starts.
    startedIt: () =>
      wasHidden() || (platform === 'darwin' && app.getLoginItemSettings(item).wasOpenedAtLogin),
  }
}

/** An AppImage runs from a folder that is another one at each start. */
const commandOf = (env: NodeJS.ProcessEnv, command: readonly string[]) =>
  env.APPIMAGE ? [env.APPIMAGE] : command

/**
 * Desktop Entry Specification 1.5, “The Exec key”: arguments are quoted, and a percent sign is
 * doubled.
 */
export function desktopEntry(command: readonly string[]): string {
  // A value of the file escapes backslashes once more.
  const quoted = [...command, HIDDEN].map((part) =>
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

/** A settings program of the desktop may have switched it off in the file. */
const isOnIn = (file: string | undefined): boolean =>
  file !== undefined &&
  !/^(Hidden=true|X-GNOME-Autostart-enabled=false)\s*$/m.test(readFileSync(file, 'utf8'))

function write(file: string, entry: string): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, entry)
}
