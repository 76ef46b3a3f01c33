import { type MantineColorScheme, Menu, useMantineColorScheme } from '@mantine/core'
import { IconCheck, type Icon as TablerIcon } from '@tabler/icons-react'
import { t } from '../i18n/t.ts'
import type { PopupProps } from './popup-button.tsx'

const SCHEMES = ['light', 'dark', 'auto'] as const

export function SchemeMenu({
  icons,
  children,
  ...popup
}: PopupProps & { readonly icons: Readonly<Record<MantineColorScheme, TablerIcon>> }) {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  return (
    <Menu {...popup} withinPortal={false} withInitialFocusPlaceholder={false} position="bottom-end">
      <Menu.Target>{children}</Menu.Target>
      <Menu.Dropdown>
        {SCHEMES.map((scheme) => {
          const Icon = icons[scheme]
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
