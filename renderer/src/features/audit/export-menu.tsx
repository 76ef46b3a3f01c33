import { Button, Menu, Text } from '@mantine/core'
import { IconDownload, IconFileTypeCsv, IconJson } from '@tabler/icons-react'
import type { AuditFilter } from '#shared/contract/dashboard.ts'
import { t } from '../../i18n/t.ts'
import { exportAddress } from './filter.ts'

const FORMATS = [
  ['csv', IconFileTypeCsv, t('ui.audit.csv'), t('ui.audit.csvAbout')],
  ['jsonl', IconJson, t('ui.audit.jsonl'), t('ui.audit.jsonlAbout')],
] as const

/** Downloads the trail, or the days that are chosen. */
export function ExportMenu({ filter: { from, to } }: { filter: AuditFilter }) {
  const span = { ...(from !== undefined && { from }), ...(to !== undefined && { to }) }
  return (
    <Menu withinPortal={false} position="bottom-end" width={300}>
      <Menu.Target>
        <Button
          variant="default"
          leftSection={<IconDownload size={16} />}
          title={t('ui.audit.exportNoted')}
        >
          {Object.keys(span).length > 0 ? t('ui.audit.exportSpan') : t('ui.audit.exportAll')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {FORMATS.map(([format, Icon, name, about]) => (
          <Menu.Item
            key={format}
            leftSection={<Icon size={17} stroke={1.6} />}
            component="a"
            href={exportAddress(format, span)}
            download
          >
            {name}{' '}
            <Text span c="dimmed" size="sm">
              {about}
            </Text>
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
