import { countText } from '../display/amounts.ts'
import type { Translated } from '../i18n/words.ts'
import { reachedAt } from './reached-at.ts'
import type { English } from './words.en.ts'

export const es: Translated<English> = {
  characterSets: {
    'ISO_IR 6': 'Letras simples sin acentos',
    'ISO_IR 100': 'Europeo occidental',
    'ISO_IR 101': 'Europeo central',
    'ISO_IR 109': 'Europeo meridional, maltés, esperanto',
    'ISO_IR 110': 'Báltico (Latin 4)',
    'ISO_IR 126': 'Griego',
    'ISO_IR 127': 'Árabe',
    'ISO_IR 138': 'Hebreo',
    'ISO_IR 144': 'Cirílico',
    'ISO_IR 148': 'Turco',
    'ISO_IR 166': 'Tailandés',
    'ISO_IR 203': 'Europeo occidental con el signo del euro',
    'ISO_IR 13': 'Japonés katakana',
    'ISO 2022 IR 87': 'Japonés kanji',
    'ISO 2022 IR 149': 'Coreano',
    'ISO 2022 IR 58': 'Chino simplificado (GB 2312)',
    GB18030: 'Chino (GB 18030)',
    GBK: 'Chino (GBK)',
    'ISO_IR 192': 'Todas las escrituras, Unicode UTF-8',
  },
  profiles: { standard: 'Como lo define la norma DICOM', ge: 'GE', philips: 'Philips' },
  title: 'Dispositivos',
  about:
    'Los dispositivos DICOM que pueden consultar esta pasarela. Un dispositivo se reconoce por su AE title, y por su dirección si se indica.',
  add: 'Añadir dispositivo',
  columns: {
    name: 'Dispositivo, AE title',
    address: 'Dirección',
    modality: 'Modalidad',
    set: 'Caracteres',
    seen: 'Visto por última vez',
    actions: 'Acciones',
  },
  anyAddress: 'cualquier dirección',
  byRow: 'según cada nombre',
  off: 'Desactivado',
  edit: (name) => `Modificar ${name}`,
  queries: (name) => `Consultas de ${name}`,
  ask: (name) => `Pedir la lista de trabajo como ${name}`,
  check: (name) => `Comprobar ${name}`,
  remove: (name) => `Eliminar ${name}`,
  removeTitle: '¿Eliminar este dispositivo?',
  removeAction: 'Eliminar el dispositivo',
  removeText: (name) =>
    `${name} se rechazará la próxima vez que se conecte, y su lista de trabajo quedará vacía. Sus consultas anteriores se conservan. Para detenerlo un tiempo, basta con desactivarlo.`,
  none: 'Todavía no hay dispositivos',
  noneText: (aeTitle, address) =>
    `Configurar en un dispositivo el AE title ${aeTitle}, ${reachedAt(address, 'la dirección de este PC, puerto ')}, y usar su función de eco («verify»): aparece entonces aquí para aprobarlo. O añadirlo a mano.`,
  noneTextShort:
    'Configurar un dispositivo para que llame a esta pasarela y usar su función de eco («verify»): aparece entonces aquí para aprobarlo. O añadirlo a mano.',
  inbox: {
    title: 'Dispositivos que esperan aprobación',
    about:
      'Han llamado pero no están en la lista: pueden probar la conexión y no reciben nada más. Aprobar solo los que se reconozcan.',
    from: (address) => `desde ${address}`,
    called: (aeTitle) => `llamó a ${aeTitle}`,
    wanted: 'Pidió',
    more: (services, count) => `${services} y ${count} más`,
    attempts: (count) => (count === 1 ? 'una vez' : `${count} veces`),
    last: 'la última',
    name: 'Nombre',
    namePlaceholder: 'p. ej., TC sala 1',
    modality: 'Modalidad',
    anyAddress: 'Aceptar desde cualquier dirección',
    anyAddressAbout:
      'Para dispositivos cuya dirección cambia. Se acepta entonces a cualquiera que use este AE title.',
    approve: 'Aprobar',
    added: (name) => `${name} ya está en la lista.`,
    dismiss: 'Descartar',
  },
  form: {
    addTitle: 'Añadir dispositivo',
    editTitle: 'Dispositivo',
    who: 'Quién es',
    name: ['Nombre', 'Como lo llama el personal, por ejemplo «TC sala 1».'],
    aeTitle: [
      'AE title',
      'Como está configurado en el dispositivo: su propio AE title (local, el que llama). Hasta 16 caracteres; en algunos dispositivos importan las mayúsculas.',
    ],
    address: [
      'Dirección',
      'Dirección IP del dispositivo, o un rango como 10.0.3.0/24. Vacío: se acepta cualquier dirección.',
    ],
    modality: [
      'Modalidad',
      'Se usa para exploraciones en las que el socio no indica ninguna, por ejemplo CT, MR, US.',
    ],
    isEnabled: ['Activado', 'Un dispositivo desactivado se rechaza.'],
    answers: 'Qué recibe',
    characterSet: [
      'Caracteres que puede mostrar',
      'Si en el dispositivo los nombres aparecen con letras erróneas o signos de interrogación, indicar lo que diga su manual. Vacío: cada nombre se envía como lo necesita.',
    ],
    alwaysSendCharacterSet: [
      'Indicar siempre el juego de caracteres',
      'Algunos dispositivos necesitan que se diga aunque un nombre solo tenga letras simples.',
    ],
    stationMode: [
      'Nombre de estación',
      'Qué ocurre cuando el dispositivo pide solo las exploraciones de una estación.',
    ],
    stations: {
      echo: 'Recibe su lista, sea cual sea la estación que pida',
      strict: 'Otra estación que no sea él no recibe nada',
    },
    port: [
      'Su propio puerto',
      'Puerto TCP en el que escucha el dispositivo, según su configuración DICOM. Hace falta para probar la conexión y para confirmar el almacenamiento. Vacío: no se usa.',
    ],
    console: 'Su consola',
    profile: [
      'Consola',
      'Con qué reglas publicadas se comprueba su lista, en «Comprobar la lista de trabajo».',
    ],
    hideStarted: [
      'Omitir las exploraciones en curso',
      'Cuando dos consolas comparten una lista: una exploración que una ha empezado ya no se ofrece a la otra. Requiere MPPS.',
    ],
    countsBytes: [
      'Cuenta bytes, no letras',
      'Para consolas que cortan o rechazan nombres largos con acentos u otras escrituras, porque esas letras ocupan varios bytes.',
    ],
    encryption: 'Cifrado (TLS)',
    tls: ['Conexiones', 'Un dispositivo que no se conecte como se indica aquí se rechaza.'],
    tlsModes: {
      optional: 'Cifradas o no, como lo haga el dispositivo',
      required: 'Solo cifradas',
      mutual: 'Solo cifradas, y con el certificado del dispositivo',
    },
    certificate: [
      'El certificado del dispositivo',
      'Pegarlo en formato PEM. Vacío: se acepta uno emitido por una autoridad indicada en Ajustes.',
    ],
    limits: 'Límites',
    limitsAbout: 'Vacío: valen los ajustes del centro.',
    daysBack: ['Días hacia atrás', 'Días anteriores a hoy, cuando pide sin fecha.'],
    daysForward: ['Días hacia delante', 'Días posteriores a hoy, cuando pide sin fecha.'],
    maxRows: [
      'Máximo de exploraciones por respuesta',
      'Los dispositivos antiguos pueden fallar con listas largas.',
    ],
    save: 'Guardar',
    add: 'Añadir dispositivo',
    cancel: 'Cancelar',
    clinic: 'la del centro',
    pem: '-----BEGIN CERTIFICATE-----',
  },
  checks: {
    title: (name) => `Comprobar ${name}`,
    echo: 'Conexión',
    echoAbout:
      'Llama al dispositivo y pregunta si está ahí (C-ECHO). En el dispositivo no se cambia nada.',
    echoAction: 'Probar la conexión',
    noPort:
      'No se conoce el puerto en el que escucha el dispositivo. Indicarlo en «Su propio puerto» de este dispositivo.',
    noAddress:
      'No se conoce la dirección del dispositivo: todavía no ha llamado y no se ha indicado ninguna.',
    lint: 'Lista de trabajo',
    lintAbout: (console) =>
      `Lee la lista que este dispositivo recibiría ahora y comprueba cada exploración con las reglas de su consola: ${console}. Al dispositivo no se le envía nada.`,
    lintAction: 'Comprobar la lista de trabajo',
    good: 'Todas las exploraciones son válidas',
    empty: 'La lista está vacía',
    emptyText: 'No hay ninguna exploración que comprobar. Probarlo un día con exploraciones.',
    checked: (rows) => `Comprobados: ${rows}.`,
    refused: (rows) => `La consola rechazaría ${rows}`,
    altered: 'La consola mostraría algunos valores de otra forma',
    whole: 'Una sola exploración así puede hacer que la consola rechace toda la lista.',
    source: 'Reglas de',
    open: 'Ver la lista completa',
    severities: {
      refused: {
        name: 'Rechazada',
        meaning: 'La consola descarta esta exploración, o con ella toda la lista.',
      },
      altered: { name: 'Alterado', meaning: 'La consola muestra otro valor que el del socio.' },
    },
    exams: (count) => countText(count, 'exploración', 'exploraciones'),
    label: 'Exploraciones que no son válidas para esta consola',
    columns: { severity: 'Efecto', patient: 'Exploración', text: 'Qué falla y qué hacer' },
  },
}
