import {
  create,
  type DescMethod,
  type DescService,
  fromBinary,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from '@bufbuild/protobuf';
import {
  type CallOptions,
  Client,
  type ClientDuplexStream,
  type ClientReadableStream,
  credentials,
  Metadata,
  type ServiceError,
} from '@grpc/grpc-js';

/** gRPC against a gateway of a spec, as any client would speak it. */
export class TestGrpc<Service extends DescService> {
  private readonly client: Client;

  constructor(
    port: number,
    private readonly service: Service,
    private readonly token?: string,
    options: object = {},
  ) {
    this.client = new Client(`127.0.0.1:${port}`, credentials.createInsecure(), options);
  }

  close(): void {
    this.client.close();
  }

  /** The answer of a unary method. @throws ServiceError */
  unary<Name extends keyof Service['method'] & string>(
    name: Name,
    request: MessageInitShape<Service['method'][Name]['input']>,
  ): Promise<MessageShape<Service['method'][Name]['output']>> {
    const { path, input, output } = this.method(name);
    return new Promise((resolve, reject) => {
      this.client.makeUnaryRequest(
        path,
        (bytes: Buffer) => bytes,
        (bytes: Buffer) => fromBinary(output, bytes),
        Buffer.from(toBinary(input, create(input, request))),
        this.metadata(),
        this.options(),
        (error: ServiceError | null, response?: unknown) => {
          if (error === null) resolve(response as MessageShape<Service['method'][Name]['output']>);
          else reject(error);
        },
      );
    });
  }

  /** The answers of a server stream, to be read at any pace. */
  stream<Name extends keyof Service['method'] & string>(
    name: Name,
    request: MessageInitShape<Service['method'][Name]['input']>,
  ): ClientReadableStream<MessageShape<Service['method'][Name]['output']>> {
    const { path, input, output } = this.method(name);
    return this.client.makeServerStreamRequest(
      path,
      (bytes: Buffer) => bytes,
      (bytes: Buffer) => fromBinary(output, bytes) as MessageShape<Service['method'][Name]['output']>,
      Buffer.from(toBinary(input, create(input, request))),
      this.metadata(),
      this.options(),
    );
  }

  /** Both ways. */
  duplex<Name extends keyof Service['method'] & string>(
    name: Name,
  ): ClientDuplexStream<
    MessageInitShape<Service['method'][Name]['input']>,
    MessageShape<Service['method'][Name]['output']>
  > {
    const { path, input, output } = this.method(name);
    return this.client.makeBidiStreamRequest(
      path,
      (message: MessageInitShape<Service['method'][Name]['input']>) =>
        Buffer.from(toBinary(input, create(input, message))),
      (bytes: Buffer) => fromBinary(output, bytes) as MessageShape<Service['method'][Name]['output']>,
      this.metadata(),
      this.options(),
    );
  }

  private method(name: string): Pick<DescMethod, 'input' | 'output'> & { path: string } {
    const method = this.service.method[name] as DescMethod;
    return { path: `/${this.service.typeName}/${method.name}`, input: method.input, output: method.output };
  }

  private metadata(): Metadata {
    const metadata = new Metadata();
    if (this.token !== undefined) metadata.set('authorization', `Bearer ${this.token}`);
    return metadata;
  }

  private options(): CallOptions {
    return { deadline: Date.now() + 120_000 };
  }
}
