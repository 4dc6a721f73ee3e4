// What only workers have, in a project for pages and workers.

declare class FileReaderSync {
  readAsArrayBuffer(blob: Blob): ArrayBuffer;
}

interface FileSystemSyncAccessHandle {
  write(bytes: BufferSource): number;
  flush(): void;
  close(): void;
}

interface FileSystemFileHandle {
  createSyncAccessHandle(): Promise<FileSystemSyncAccessHandle>;
}

// What build.sh writes before service.js.
declare const VERSION: string;
declare const FILES: string[];
