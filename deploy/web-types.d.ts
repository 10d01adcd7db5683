// Declarations of browser and library features that TypeScript 4.8 does not have yet; deploy/test-web checks the web app with them.

interface Array<T> {
    findLast(predicate: (value: T, index: number, array: T[]) => unknown): T | undefined;
}

interface String {
    toWellFormed?(): string;
}

interface URLSearchParams {
    readonly size: number;
}

interface Navigator {
    readonly userActivation?: { readonly hasBeenActive: boolean; readonly isActive: boolean };
    readonly wakeLock?: { request(type: "screen"): Promise<EventTarget & { readonly released: boolean; release(): Promise<void> }> };
    getBattery?(): Promise<EventTarget & { readonly charging: boolean; readonly level: number }>;
}
