package ydl.testing;

import java.io.File;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Modifier;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import org.apache.hadoop.thirdparty.protobuf.DescriptorProtos.DescriptorProto;
import org.apache.hadoop.thirdparty.protobuf.DescriptorProtos.EnumDescriptorProto;
import org.apache.hadoop.thirdparty.protobuf.DescriptorProtos.FileDescriptorProto;
import org.apache.hadoop.thirdparty.protobuf.Descriptors.FileDescriptor;

/** The messages and enums of .proto files by full name; those of Hadoop are taken from its generated classes, as its jars hold no .proto file. */
final class HadoopProtos {
    final Map<String, DescriptorProto> messages = new HashMap<>();
    final Map<String, EnumDescriptorProto> enums = new HashMap<>();

    /** Everything in the hadoop-*.jar files of the class path. */
    static HadoopProtos ofClassPath() throws IOException {
        HadoopProtos found = new HadoopProtos();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            if (new File(entry).getName().startsWith("hadoop-")) {
                found.addJar(entry);
            }
        }
        return found;
    }

    void add(FileDescriptorProto file) {
        String scope = "." + file.getPackage();
        file.getMessageTypeList().forEach(message -> add(scope, message));
        file.getEnumTypeList().forEach(type -> enums.put(scope + "." + type.getName(), type));
    }

    private void add(String scope, DescriptorProto message) {
        String name = scope + "." + message.getName();
        messages.put(name, message);
        message.getNestedTypeList().forEach(nested -> add(name, nested));
        message.getEnumTypeList().forEach(type -> enums.put(name + "." + type.getName(), type));
    }

    private void addJar(String path) throws IOException {
        try (JarFile jar = new JarFile(path)) {
            for (JarEntry entry : Collections.list(jar.entries())) {
                String name = entry.getName();
                boolean mayBeGenerated = name.endsWith(".class") && name.startsWith("org/apache/hadoop/") && !name.contains("$")
                        && !name.contains("/thirdparty/") && (name.contains("roto") || name.contains("/ipc/"));
                if (mayBeGenerated) {
                    addClass(name.substring(0, name.length() - ".class".length()).replace('/', '.'));
                }
            }
        }
    }

    /** Adds the file that a class was generated from, if it is one that stands for a file. */
    private void addClass(String name) {
        try {
            var method = Class.forName(name, false, HadoopProtos.class.getClassLoader()).getDeclaredMethod("getDescriptor");
            if (Modifier.isStatic(method.getModifiers()) && method.getReturnType() == FileDescriptor.class) {
                add(((FileDescriptor) method.invoke(null)).toProto());
            }
        } catch (ReflectiveOperationException | LinkageError notGenerated) {
            if (notGenerated instanceof InvocationTargetException) {
                throw new IllegalStateException(name, notGenerated);
            }
        }
    }
}
