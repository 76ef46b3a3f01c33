import { ActionIcon, useMantineColorScheme } from '@mantine/core'
import { IconDeviceDesktop, IconMoon, IconSun } from '@tabler/icons-react'
import { t } from '../i18n/t.ts'
import { PopupButton } from './popup-button.tsx'

const ICONS = { light: IconSun, dark: IconMoon, auto: IconDeviceDesktop }

const MENU_PROPS = { icons: ICONS }

export const loadSchemeMenu = async () => (await import('./scheme-menu.tsx')).SchemeMenu

/** Light, dark, or as the PC is set. Kept in this browser. */
export function SchemeSwitch() {
  const { colorScheme } = useMantineColorScheme()
  const CurrentIcon = ICONS[colorScheme]
  return (
    <PopupButton kind="menu" load={loadSchemeMenu} given={MENU_PROPS}>
      <ActionIcon
        aria-label={t('ui.shell.schemeLabel', { scheme: t(`ui.shell.scheme.${colorScheme}`) })}
      >
        <CurrentIcon size={18} stroke={1.7} />
      </ActionIcon>
    </PopupButton>
  )
}
