import { ActionIcon, Menu, useMantineColorScheme } from '@mantine/core'
import { IconCheck, IconDeviceDesktop, IconMoon, IconSun } from '@tabler/icons-react'
import { t } from '../i18n/t.ts'

const ICONS = { light: IconSun, dark: IconMoon, auto: IconDeviceDesktop }
const SCHEMES = ['light', 'dark', 'auto'] as const

/** Light, dark, or as the PC is set. Kept in this browser. */
export function SchemeSwitch() {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const Current = ICONS[colorScheme]
  return (
    <Menu withinPortal={false} withInitialFocusPlaceholder={false} position="bottom-end">
      <Menu.Target>
        <ActionIcon
          aria-label={t('ui.shell.schemeLabel', { scheme: t(`ui.shell.scheme.${colorScheme}`) })}
        >
          <Current size={18} stroke={1.7} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {SCHEMES.map((scheme) => {
          const Icon = ICONS[scheme]
          return (
            <Menu.Item
              key={scheme}
              leftSection={<Icon size={16} />}
              rightSection={
                scheme === colorScheme ? (
                  <IconCheck size={15} aria-label={t('ui.shell.chosen')} />
                ) : null
              }
              onClick={() => setColorScheme(scheme)}
            >
              {t(`ui.shell.scheme.${scheme}`)}
            </Menu.Item>
          )
        })}
      </Menu.Dropdown>
    </Menu>
  )
}
