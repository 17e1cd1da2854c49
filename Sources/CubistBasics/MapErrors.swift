/// Runs a body whose error the caller throws as another one.
@inlinable
package func mapErrors<Value, Failure: Error, Mapped: Error>(
  _ map: (Failure) -> Mapped, _ body: () throws(Failure) -> Value
) throws(Mapped) -> Value {
  do throws(Failure) { return try body() } catch { throw map(error) }
}
