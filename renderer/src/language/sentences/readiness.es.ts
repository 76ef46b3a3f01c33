import type { Sentence } from '../catalogue.ts'

export const READINESS: readonly Sentence[] = [
  [
    'The back-up {} is written, and was opened and compared with the database.',
    'La copia de seguridad {0} está escrita, y se abrió y se comparó con la base de datos.',
  ],
  [
    'The back-up failed for a reason that the gateway did not foresee; its log has it.',
    'La copia de seguridad falló por un motivo que la pasarela no previó; está en su registro.',
  ],
  [
    'Choose a folder for back-ups first.',
    'Elija primero una carpeta para las copias de seguridad.',
  ],
  [
    'A back-up is being made already: wait for it to end.',
    'Ya se está haciendo una copia de seguridad: espere a que termine.',
  ],
  ['This is not a whole path.', 'Esta ruta no está completa.'],
  [
    'Write it from the drive or the root on, such as D:\\Isthmus back-ups or /mnt/backup/isthmus.',
    'Escríbala desde la unidad o la raíz, como D:\\Isthmus back-ups o /mnt/backup/isthmus.',
  ],
  [
    'This folder is inside the data folder: what destroys one destroys the other.',
    'Esta carpeta está dentro de la carpeta de datos: lo que destruye una destruye la otra.',
  ],
  [
    'Choose a folder elsewhere, best on another disk.',
    'Elija una carpeta en otro lugar, mejor en otro disco.',
  ],
  ['The folder cannot be written to: {}.', 'No se puede escribir en la carpeta: {0}.'],
  [
    'Choose another one, or let the account of the gateway write to it.',
    'Elija otra, o permita que la cuenta de la pasarela escriba en ella.',
  ],
  ['The folder is there and can be written to.', 'La carpeta existe y se puede escribir en ella.'],
  ['Make room, or choose another disk.', 'Libere espacio o elija otro disco.'],
  ['{}: there is room for only a few.', '{0}: solo hay espacio para unas pocas.'],
  [
    'Choose a larger disk, or remove old back-ups by hand.',
    'Elija un disco mayor, o elimine a mano copias de seguridad antiguas.',
  ],
  [
    'It is on the same disk as the database: if that disk dies, both are gone.',
    'Está en el mismo disco que la base de datos: si ese disco falla, se pierden ambas.',
  ],
  [
    'Use another disk, a USB disk or a folder on a server.',
    'Use otro disco, un disco USB o una carpeta de un servidor.',
  ],
  ['It is on another disk than the database.', 'Está en otro disco que la base de datos.'],
  [
    'It is on another machine, which outlives this PC.',
    'Está en otra máquina, que sobrevive a este PC.',
  ],
  [
    'A program copies this folder to a cloud: what is in a back-up would leave the clinic.',
    'Un programa copia esta carpeta a una nube: lo que contiene una copia de seguridad saldría de la clínica.',
  ],
  [
    'Use another folder, unless the clinic has agreed on that cloud.',
    'Use otra carpeta, salvo que la clínica haya aceptado esa nube.',
  ],
  [
    'The key that was shown is no longer waiting to be confirmed: make another one.',
    'La clave que se mostró ya no espera confirmación: cree otra.',
  ],
  [
    'What you typed is not what was shown. Compare it with what you wrote down.',
    'Lo que escribió no es lo que se mostró. Compárelo con lo que anotó.',
  ],
  [
    'The disk of the data folder cannot be asked for its room.',
    'No se puede consultar el espacio del disco de la carpeta de datos.',
  ],
  [
    'See whether the disk is there and can be read.',
    'Compruebe si el disco está presente y se puede leer.',
  ],
  [
    '{}: below {} GB no more images are taken.',
    '{0}: por debajo de {1} GB no se aceptan más imágenes.',
  ],
  [
    'Make room on the disk, or move the data folder to a larger one.',
    'Libere espacio en el disco, o traslade la carpeta de datos a uno mayor.',
  ],
  ['Make room before long.', 'Libere espacio pronto.'],
  [
    'Let this PC set its clock by the network, then look again. Signed requests to the partner need it within five minutes.',
    'Haga que este PC ajuste su reloj por la red y vuelva a mirar. Las peticiones firmadas al socio necesitan una hora exacta en cinco minutos.',
  ],
  [
    'The clock of this PC is behind: something was written here at a later time already.',
    'El reloj de este PC va atrasado: aquí ya se escribió algo con una hora posterior.',
  ],
  [
    'The clock of this PC is behind: it is before the time at which this program was made.',
    'El reloj de este PC va atrasado: marca una hora anterior a la creación de este programa.',
  ],
  [
    'The clock of this PC goes forward from what was written last.',
    'El reloj de este PC avanza desde lo último que se escribió.',
  ],
  [
    'The data folder is {}; its database is whole, and its key can be read by its owner only.',
    'La carpeta de datos es {0}; su base de datos está íntegra, y solo su propietario puede leer su clave.',
  ],
  [
    'The data folder {} is on another machine: a database there can be damaged by a break of the network.',
    'La carpeta de datos {0} está en otra máquina: un corte de la red puede dañar una base de datos allí.',
  ],
  [
    'The data folder {} is kept in step with a cloud by a program, which can damage the database.',
    'Un programa sincroniza la carpeta de datos {0} con una nube, lo que puede dañar la base de datos.',
  ],
  [
    'Stop the gateway, move the folder to a disk of this PC, and start it with --data.',
    'Detenga la pasarela, mueva la carpeta a un disco de este PC e iníciela con --data.',
  ],
  [
    'The audit trail is unbroken, {} entries.',
    'El registro de auditoría está íntegro, {0} entradas.',
  ],
  [
    'Keep a copy of the data folder and tell the vendor.',
    'Guarde una copia de la carpeta de datos y avise al proveedor.',
  ],
  ['Every setting can be read.', 'Todos los ajustes se pueden leer.'],
  [
    'Settings that cannot be read stand at their first value: {}.',
    'Los ajustes que no se pueden leer tienen su valor inicial: {0}.',
  ],
  ['Set them again.', 'Vuelva a definirlos.'],
  ['An owner account exists.', 'Existe una cuenta de propietario.'],
  ['Nobody can sign in yet.', 'Nadie puede iniciar sesión todavía.'],
  [
    'Follow the link that the command sign-in-link prints.',
    'Siga el enlace que imprime la orden sign-in-link.',
  ],
  ['A recovery key was made on {}.', 'Se creó una clave de recuperación el {0}.'],
  [
    'There is no recovery key: should data.key be lost, nothing can be opened, back-ups included.',
    'No hay clave de recuperación: si se pierde data.key no se puede abrir nada, tampoco las copias de seguridad.',
  ],
  [
    'The data key is in the key store of this account; on the disk it is wrapped by it.',
    'La clave de datos está en el almacén de claves de esta cuenta; en el disco está cifrada por él.',
  ],
  [
    'The data key is still in a plain file, {}: who copies the data folder can read everything.',
    'La clave de datos sigue en un archivo sin cifrar, {0}: quien copie la carpeta de datos puede leerlo todo.',
  ],
  [
    'Make a recovery key: the app then moves the data key into the key store of this account.',
    'Cree una clave de recuperación: la aplicación pasará entonces la clave de datos al almacén de claves de esta cuenta.',
  ],
  [
    'Start the app again: it then moves the data key into the key store of this account.',
    'Reinicie la aplicación: pasará entonces la clave de datos al almacén de claves de esta cuenta.',
  ],
  [
    'The key ring of this account protects nothing, so the data key stays in a plain file, {}: who copies the data folder can read everything.',
    'El llavero de esta cuenta no protege nada, así que la clave de datos queda en un archivo sin cifrar, {0}: quien copie la carpeta de datos puede leerlo todo.',
  ],
  [
    'Install a key ring (GNOME Keyring or KWallet) and start the app again, and encrypt the disk (LUKS).',
    'Instale un llavero (GNOME Keyring o KWallet) y reinicie la aplicación, y cifre el disco (LUKS).',
  ],
  [
    'This account has no key store, so the data key stays in a plain file, {}: who copies the data folder can read everything.',
    'Esta cuenta no tiene almacén de claves, así que la clave de datos queda en un archivo sin cifrar, {0}: quien copie la carpeta de datos puede leerlo todo.',
  ],
  [
    'Encrypt the disk (BitLocker, FileVault, LUKS), and let nobody else sign in to this account.',
    'Cifre el disco (BitLocker, FileVault, LUKS) y no deje que nadie más inicie sesión en esta cuenta.',
  ],
  [
    'The data key is in {}, which the account of the gateway alone can read: the encryption of the disk protects it.',
    'La clave de datos está en {0}, que solo puede leer la cuenta de la pasarela: la protege el cifrado del disco.',
  ],
  [
    'The data key is handed over at the start and is not in the data folder.',
    'La clave de datos se entrega al arrancar y no está en la carpeta de datos.',
  ],
  ['Make one and keep it on paper.', 'Cree una y guárdela en papel.'],
  [
    'The file recovery.key does not fit this data folder.',
    'El archivo recovery.key no corresponde a esta carpeta de datos.',
  ],
  ['Make a new recovery key.', 'Cree una nueva clave de recuperación.'],
  [
    'DICOM by TLS is switched off: what devices send is not encrypted.',
    'DICOM por TLS está desactivado: lo que envían los dispositivos no va cifrado.',
  ],
  [
    'Set dimse.tlsPort under Settings, if your devices can do it.',
    'Defina dimse.tlsPort en Ajustes, si sus dispositivos lo admiten.',
  ],
  [
    'DICOM by TLS is down: port {} could not be had.',
    'DICOM por TLS no funciona: no se pudo obtener el puerto {0}.',
  ],
  ['Choose another dimse.tlsPort under Settings.', 'Elija otro dimse.tlsPort en Ajustes.'],
  ['DICOM by TLS is up at {}.', 'DICOM por TLS funciona en {0}.'],
  ['DICOM by TLS has port {}.', 'DICOM por TLS tiene el puerto {0}.'],
  [
    'The window can be opened from other workstations by HTTPS; each is approved once.',
    'La ventana se puede abrir desde otros puestos por HTTPS; cada uno se aprueba una vez.',
  ],
  ['The window can be opened on this PC only.', 'La ventana solo se puede abrir en este PC.'],
  ['No device is known.', 'No se conoce ningún dispositivo.'],
  [
    'Add one, or approve a caller under Devices.',
    'Añada uno, o apruebe un llamante en Dispositivos.',
  ],
  ['No device has called yet.', 'Aún no ha llamado ningún dispositivo.'],
  [
    'Let a device do its DICOM echo (C-ECHO).',
    'Haga que un dispositivo envíe su eco DICOM (C-ECHO).',
  ],
  [
    'A device asked for its worklist and got {}.',
    'Un dispositivo pidió su lista de trabajo y recibió {0}.',
  ],
  [
    'No device has got its worklist lately.',
    'Últimamente ningún dispositivo ha recibido su lista de trabajo.',
  ],
  [
    'Ask for the worklist at a device, and look under Queries at what came of it.',
    'Pida la lista de trabajo en un dispositivo y mire en Consultas qué resultó.',
  ],
  [
    'Unknown devices are served (dimse.allowUnknownDevices): that is meant for tests.',
    'Se atiende a dispositivos desconocidos (dimse.allowUnknownDevices): eso es para pruebas.',
  ],
  ['Switch it off under Settings.', 'Desactívelo en Ajustes.'],
  ['Unknown devices are refused.', 'Se rechaza a los dispositivos desconocidos.'],
  ['The partner is {}.', 'El socio es {0}.'],
  [
    'No partner is set: worklists stay empty.',
    'No hay ningún socio configurado: las listas de trabajo quedan vacías.',
  ],
  [
    'Set it under Partner, or with serve --partner-url.',
    'Configúrelo en Socio, o con serve --partner-url.',
  ],
  ['No event was tried with a partner.', 'No se probó ningún evento con un socio.'],
  ['Set the partner first.', 'Configure primero el socio.'],
  ['The partner did not take the last {}.', 'El socio no aceptó el último {0}.'],
  [
    'Test the event under Partner, and read the answer under Events.',
    'Pruebe el evento en Socio y lea la respuesta en Eventos.',
  ],
  [
    'Send a test of each in the set-up.',
    'Envíe una prueba de cada uno en la configuración inicial.',
  ],
  [
    'The partner took the last of each of its events.',
    'El socio aceptó el último de cada uno de sus eventos.',
  ],
  ['Links that are given out begin with {}.', 'Los enlaces que se dan empiezan por {0}.'],
  [
    'Links that are given to others, such as that of a report’s PDF, open on this PC only.',
    'Los enlaces que se dan a otros, como el del PDF de un informe, solo se abren en este PC.',
  ],
  ['Set http.publicUrl under Settings.', 'Defina http.publicUrl en Ajustes.'],
  ['Invitations are mailed through {}.', 'Las invitaciones se envían por correo a través de {0}.'],
  [
    'No mail server is set: who invites somebody hands the link over.',
    'No hay servidor de correo configurado: quien invita entrega el enlace.',
  ],
  [
    'Set one under People, if you want invitations mailed.',
    'Configure uno en Personas, si quiere enviar las invitaciones por correo.',
  ],
  [
    'The module for other DICOM systems (dicom-dimse-native) is in place.',
    'El módulo para otros sistemas DICOM (dicom-dimse-native) está instalado.',
  ],
  [
    'The module for other DICOM systems (dicom-dimse-native) is missing; worklists do not need it.',
    'Falta el módulo para otros sistemas DICOM (dicom-dimse-native); las listas de trabajo no lo necesitan.',
  ],
  [
    'There is no owner yet who could have a second factor.',
    'Aún no hay ningún propietario que pueda tener un segundo factor.',
  ],
  ['Make the owner’s account first.', 'Cree primero la cuenta del propietario.'],
  [
    'Every owner signs in with a second factor.',
    'Todos los propietarios inician sesión con un segundo factor.',
  ],
  [
    'Each turns on a second factor under My account.',
    'Cada uno activa un segundo factor en Mi cuenta.',
  ],
  ['No folder for back-ups is chosen.', 'No se ha elegido carpeta para las copias de seguridad.'],
  [
    'Choose one, best on another disk, and make a back-up.',
    'Elija una, mejor en otro disco, y haga una copia de seguridad.',
  ],
  [
    'See whether its disk is connected, or choose another folder.',
    'Compruebe si su disco está conectado, o elija otra carpeta.',
  ],
  ['No back-up is in {} yet.', 'Aún no hay copias de seguridad en {0}.'],
  ['Make one now.', 'Haga una ahora.'],
  [
    'The newest back-up has no recovery key in it: without this PC’s data.key it cannot be opened.',
    'La copia de seguridad más reciente no contiene clave de recuperación: sin el data.key de este PC no se puede abrir.',
  ],
  [
    'Make a recovery key, then another back-up.',
    'Cree una clave de recuperación y haga otra copia de seguridad.',
  ],
  ['The newest back-up is {} days old.', 'La copia de seguridad más reciente tiene {0} días.'],
  ['The newest back-up is of {}.', 'La copia de seguridad más reciente es del {0}.'],
  ['{} is up at {}.', '{0} funciona en {1}.'],
  ['{} can have {}:{}: the port is free.', '{0} puede usar {1}:{2}: el puerto está libre.'],
  ['{} cannot have {}:{}: {}.', '{0} no puede usar {1}:{2}: {3}.'],
  ['Choose another port with config set {}.port.', 'Elija otro puerto con config set {0}.port.'],
  [
    'The back-up could not be checked ({}): it was given up.',
    'No se pudo comprobar la copia de seguridad ({0}): se abandonó.',
  ],
  [
    'The back-up is not whole ({}): it was given up. Try another disk.',
    'La copia de seguridad no está íntegra ({0}): se abandonó. Pruebe otro disco.',
  ],
  [
    'The back-up has {} rows of {} and the database {}: it was given up.',
    'La copia de seguridad tiene {0} filas de {1} y la base de datos {2}: se abandonó.',
  ],
  [
    'The back-up could not be written to {}: {}.',
    'No se pudo escribir la copia de seguridad en {0}: {1}.',
  ],
  [
    'The back-up folder {} cannot be read: {}.',
    'No se puede leer la carpeta de copias de seguridad {0}: {1}.',
  ],
  ['it is a file', 'es un archivo'],
  ['this account may not', 'esta cuenta no puede'],
  ['the disk is read-only', 'el disco es de solo lectura'],
  ['the disk is full', 'el disco está lleno'],
  ['a part of the path is a file', 'una parte de la ruta es un archivo'],
  ['a part of the path cannot be made', 'una parte de la ruta no se puede crear'],
  [
    '{} are free, a back-up takes about {}',
    'hay {0} libres, una copia de seguridad ocupa unos {1}',
  ],
  ['is not group {} of the key that was shown', 'no es el grupo {0} de la clave que se mostró'],
  ['{} GB are free on the disk of the images', 'quedan {0} GB libres en el disco de las imágenes'],
  ['one exam', 'una exploración'],
  ['npm run native gets it.', 'npm run native lo instala.'],
  ['The DICOM listener', 'El servicio DICOM'],
  ['The window', 'La ventana'],
  ['{}, process {}, uses it', 'lo usa {0}, proceso {1}'],
  ['must be a folder on the PC of the gateway', 'debe ser una carpeta del PC de la pasarela'],
  ['{#} exams', '{0} exploraciones'],
  ['One device is known.', 'Se conoce un dispositivo.'],
  ['{#} devices are known.', 'Se conocen {0} dispositivos.'],
  ['One device has called.', 'Ha llamado un dispositivo.'],
  ['{#} devices have called.', 'Han llamado {0} dispositivos.'],
  ['One event was never tried with the partner.', 'Un evento no se ha probado nunca con el socio.'],
  [
    '{#} events were never tried with the partner.',
    '{0} eventos no se han probado nunca con el socio.',
  ],
  ['An owner signs in by password alone.', 'Un propietario inicia sesión solo con contraseña.'],
  ['{#} owners sign in by password alone.', '{0} propietarios inician sesión solo con contraseña.'],
]
